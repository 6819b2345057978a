import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";
import { findPython } from "./python.ts";
import { makeFolder, runProgram } from "./run-program.ts";

const python = findPython();
const document = readFileSync(join(root, "docs/training.md"), "utf8");
const readBlock = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(document)![1]!;

describe("the programs of docs/training.md", () => {
  it("run in TypeScript", async () => {
    const program = readBlock("ts").replace('"./client/', `"${root}client/`);
    const folder = makeFolder({ "train.ts": `${program}\nconsole.log(env.actions.length);\n` });
    try {
      const { code, output } = await runProgram(process.execPath, ["train.ts"], { cwd: folder.path });
      expect(output).to.match(/^2$/m);
      expect(code).to.equal(0);
    } finally {
      folder.remove();
    }
  });

  it("run in Python", async function () {
    if (python === null) this.skip();
    const program = `${readBlock("python")}\nprint(len(rewards), len(observation))\nenv.close()\nenvs.close()\n`;
    const { code, output } = await runProgram(python!, ["-c", program], {
      cwd: join(root, "examples/python"),
      env: { PYTHONDONTWRITEBYTECODE: "1" },
    });
    expect(output).to.match(/^256 \d+$/m);
    expect(code).to.equal(0);
  });
});
