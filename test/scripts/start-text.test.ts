import { expect } from "chai";
import { listNextCommands } from "../../scripts/start/show.ts";

describe("npm start", () => {
  const getCommands = (httpUrl: string) => listNextCommands(httpUrl).map((line) => line.trim().split(/ {2,}/)[0]);

  it("reports the commands to try as they are", () => {
    expect(getCommands("http://127.0.0.1:4100")).to.deep.equal([
      "npm run agent -- --bot quick",
      "npm run agent -- --game both",
      "npm run new-bot -- ../my-bot",
    ]);
  });

  it("gives them its address if it differs from their default", () => {
    for (const command of getCommands("http://127.0.0.1:4101"))
      expect(command).to.match(/^npm run [a-z-]+ -- --url http:\/\/127\.0\.0\.1:4101 /);
  });
});
