import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { getUserDirectory } from "../../backend/config/environment.ts";
import { root } from "../../scripts/start/build.ts";

describe("the environment", () => {
  it("is read in one file", () => {
    const files = globSync("{backend,client,deploy,domain,games,local-chain,mcp,scripts,web}/**/*.{ts,tsx,mjs}", {
      cwd: root,
    })
      .filter((path) => !path.includes("node_modules") && !path.startsWith("web/dist"))
      .filter((path) => /process\.env/.test(readFileSync(join(root, path), "utf8")));
    expect(files).to.deep.equal([join("backend", "config", "environment.ts")]);
  });

  it("finds the folder in which the user typed the command, also below npm", () => {
    expect(getUserDirectory({ INIT_CWD: "/home/ada" })).to.equal("/home/ada");
    expect(getUserDirectory({})).to.equal(process.cwd());
  });
});
