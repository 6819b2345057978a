import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { command as packTesting } from "../../scripts/pack-testing.ts";
import { root } from "../../scripts/start/build.ts";
import { callCommand } from "../helpers/commands.ts";

const run = promisify(execFile);

describe("the testing package in an empty project", function () {
  this.timeout(300_000);
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "arcade-testing-package-"));
    const packed = await callCommand(packTesting, ["--out", folder, "--json"]);
    expect(packed.code, packed.err).to.equal(0);
    const place = join(folder, "node_modules/@agent-arcade/testing");
    mkdirSync(place, { recursive: true });
    await run("tar", ["-xzf", packed.json.file, "-C", place, "--strip-components=1"]);
    const { dependencies } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
      symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
    }
    mkdirSync(join(folder, "tmp"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** The output of a module; its temporary files are in `tmp` of the folder. */
  async function execute(text: string): Promise<string> {
    writeFileSync(join(folder, "test.mjs"), text);
    const env = { ...process.env, TMPDIR: join(folder, "tmp") };
    return (await run(process.execPath, ["test.mjs"], { cwd: folder, env })).stdout;
  }

  it("runs the programs of docs/testing.md, and its process ends with nothing left behind", async () => {
    const page = readFileSync(join(root, "docs/testing.md"), "utf8");
    const [first, second] = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, text]) => text!);
    const close = "await arcade.close();";
    expect(first).to.include(close);
    const yours = `async function runYourProgram(url) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
      const response = await fetch(url, { method: "POST", body, headers: { "Content-Type": "application/json" } });
      console.log((await response.json()).result);
    }`;
    const output = await execute([first!.replace(close, ""), second, close, yours].join("\n"));
    expect(output).to.match(/^http:\/\/127\.0\.0\.1:\d+ http:\/\/127\.0\.0\.1:\d+ [1-9]\d*n?\n0x7a69\n$/);
    expect(readdirSync(join(folder, "tmp")).filter((name) => /^arcade-stack-/.test(name))).to.deep.equal([]);
  });

  it("removes its folders when a program ends without closing", async () => {
    await execute(`import { startArcade } from "@agent-arcade/testing";
      await startArcade({ at: "deployed", seed: 7 });
      process.exit();`);
    expect(readdirSync(join(folder, "tmp")).filter((name) => /^arcade-stack-/.test(name))).to.deep.equal([]);
  });
});
