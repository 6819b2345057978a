import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";
import { makeFolder, runProgram } from "./run-program.ts";

const document = readFileSync(join(root, "docs/training.md"), "utf8");
const BLOCK = /^```ts\n([\s\S]*?)^```$/m;

describe("the programs of docs/training.md", () => {
  it("run in TypeScript", async () => {
    const program = BLOCK.exec(document)![1]!.replace('"./client/', `"${root}client/`);
    const folder = makeFolder({ "train.ts": `${program}\nconsole.log(env.actions.length);\n` });
    try {
      const { code, output } = await runProgram(process.execPath, ["train.ts"], { cwd: folder.path });
      expect(output).to.match(/^2$/m);
      expect(code).to.equal(0);
    } finally {
      folder.remove();
    }
  });
});
