import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { command as packTesting } from "../../scripts/pack-testing.ts";
import { root } from "../../scripts/start/build.ts";
import { readPrograms } from "../examples/run-program.ts";
import { callCommand } from "../helpers/commands.ts";
import { waitUntil } from "../helpers/wait-until.ts";

const run = promisify(execFile);
const PROGRAM_MAX_MS = 120_000;
const readCommandLine = (processId: string): string => readFileSync(`/proc/${processId}/cmdline`, "utf8");

describe("the testing package in an empty project", () => {
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "arcade-testing-package-"));
    const packed = await callCommand(packTesting, ["--out", join(folder, "tarball"), "--json"]);
    expect(packed.code, packed.err).to.equal(0);
    const place = join(folder, "node_modules/@agent-arcade/testing");
    mkdirSync(place, { recursive: true });
    await run("tar", ["-xzf", packed.json.file, "-C", place, "--strip-components=1"]);
    const { dependencies } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
    for (const name of [...Object.keys(dependencies), "mocha", "@playwright/test"]) {
      mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
      symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
    }
    mkdirSync(join(folder, "tmp"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a module and returns its output. Its temporary files are in the folder's `tmp`. */
  async function execute(text: string, variables: NodeJS.ProcessEnv = {}): Promise<string> {
    writeFileSync(join(folder, "test.mjs"), text);
    const env = { ...process.env, TMPDIR: join(folder, "tmp"), ...variables };
    return (await run(process.execPath, ["--expose-gc", "test.mjs"], { cwd: folder, env })).stdout;
  }

  it("runs the programs of docs/testing.md, and its process leaves nothing behind", async () => {
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

  it("runs under Yarn's Plug'n'Play, whose file handles cannot sync", async () => {
    const preload = join(folder, "handles.mjs");
    writeFileSync(
      preload,
      `import { open } from "node:fs/promises";
      const file = await open("package.json");
      const fail = () => { throw new Error("Method not implemented."); };
      Object.assign(Object.getPrototypeOf(file), { sync: fail, datasync: fail });
      await file.close();`,
    );
    writeFileSync(join(folder, "package.json"), "{}");
    const program = `import { startArcade } from "@agent-arcade/testing";
      const arcade = await startArcade({ at: "registered", seed: 8 });
      await arcade.close();
      console.log("closed");`;
    expect(await execute(program, { NODE_OPTIONS: `--import ${preload}` })).to.equal("closed\n");
  });

  it("can be required in CommonJS projects, as Playwright's and jest's are by default", async () => {
    const program = `import { createRequire } from "node:module";
      const require = createRequire(import.meta.url);
      for (const entry of ["", "/mocha", "/node-test", "/playwright"]) require("@agent-arcade/testing" + entry);
      const arcade = await require("@agent-arcade/testing").startArcade({ at: "registered", seed: 8 });
      await arcade.close();
      console.log("closed");`;
    expect(await execute(program)).to.equal("closed\n");
  });

  it("has a declaration of the settings that compiles without skipLibCheck", async () => {
    const types = "node_modules/@agent-arcade/testing/types/backend/config/kinds.d.ts";
    const flags = ["--noEmit", "--ignoreConfig", "--module", "nodenext", "--strict", "--types", "node"];
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const typeRoots = ["--typeRoots", join(root, "node_modules/@types")];
    const { stdout } = await run(process.execPath, [tsc, ...flags, ...typeRoots, types], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).to.equal("");
  });

  it("has types for resolvers that do not support exports", () => {
    const place = join(folder, "node_modules/@agent-arcade/testing");
    const { exports, main, types, typesVersions } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
    expect({ types, default: main }).to.deep.equal(exports["."]);
    for (const [subpath, entry] of Object.entries<{ readonly types: string }>(exports))
      if (subpath !== "." && subpath !== "./package.json")
        expect(typesVersions["*"][subpath.slice(2)]).to.deep.equal([entry.types]);
  });

  it("runs examples/testing, whose files are those of docs/testing.md", async () => {
    const example = join(root, "examples/testing");
    const programs = readPrograms(readFileSync(join(root, "docs/testing.md"), "utf8"));
    for (const [name, text] of Object.entries(programs))
      expect(readFileSync(join(example, name), "utf8"), name).to.equal(text);
    cpSync(example, folder, { recursive: true });
    const env = { ...process.env, TMPDIR: join(folder, "tmp"), CHROMIUM: "/usr/bin/chromium" };
    const browser = await run(process.execPath, ["node_modules/@playwright/test/cli.js", "test"], { cwd: folder, env });
    expect(browser.stdout).to.match(/2 passed/);
    const chaos = await run(process.execPath, ["--test", "chaos.test.js"], { cwd: folder, env });
    expect(chaos.stdout)
      .to.match(/indexer, seed \d+/)
      .and.match(/sender, seed \d+/);
  });

  it("has a fixture for mocha, node:test and vitest, which resets the stack after each test", async () => {
    const vitest = join(folder, "node_modules/vitest");
    mkdirSync(vitest);
    writeFileSync(join(vitest, "package.json"), '{ "type": "module", "exports": "./index.js" }');
    // The parts of vitest that the fixture needs.
    writeFileSync(
      join(vitest, "index.js"),
      `import * as node from "node:test";
      export { describe, it, before as beforeAll, after as afterAll } from "node:test";
      const withTask = (run) => ({ fullName }) => run({ task: { id: fullName } });
      export const beforeEach = (run) => node.beforeEach(withTask(run));
      export const afterEach = (run) => node.afterEach(withTask(run));`,
    );
    const imports = {
      mocha: "",
      "node-test": 'import { describe, it } from "node:test";',
      vitest: 'import { describe, it } from "vitest";',
    };
    for (const [runner, line] of Object.entries(imports)) {
      writeFileSync(
        join(folder, "fixture.mjs"),
        `${line}
        import { useArcade } from "@agent-arcade/testing/${runner}";
        describe("a block", () => {
          const arcade = useArcade({ at: "registered", seed: 7 });
          for (const name of ["one test", "another"])
            it(name, async () => {
              const before = Number(await arcade.chain.request("eth_blockNumber"));
              await arcade.chain.mine(5);
              console.log("head", before);
            });
        });`,
      );
      const program = runner === "mocha" ? ["node_modules/mocha/bin/mocha.js"] : ["--test-reporter=spec"];
      const env = { ...process.env, TMPDIR: join(folder, "tmp") };
      const { stdout } = await run(process.execPath, [...program, "fixture.mjs"], { cwd: folder, env });
      const heads = [...stdout.matchAll(/head (\d+)/g)].map(([, head]) => Number(head));
      expect(heads, stdout).to.have.length(2);
      expect(heads[1], runner).to.equal(heads[0]);
    }
  });

  it("rejects tests of one block that node:test runs at the same time", async () => {
    writeFileSync(
      join(folder, "fixture.mjs"),
      `import { describe, it } from "node:test";
      import { useArcade } from "@agent-arcade/testing/node-test";
      describe("a block", { concurrency: true }, () => {
        const arcade = useArcade({ at: "registered", seed: 7 });
        for (const name of ["one test", "another"]) it(name, () => arcade.chain.mine(5));
      });`,
    );
    const env = { ...process.env, TMPDIR: join(folder, "tmp") };
    const args = ["--test-reporter=spec", "fixture.mjs"];
    const failure = await run(process.execPath, args, { cwd: folder, env }).catch((error) => error);
    expect(failure.stdout).to.include('received "a block > another" during "a block > one test"');
  });

  it("gives 100 tests a stack each, eight at the same time, and resets them", async () => {
    const output = await execute(`import { startArcade } from "@agent-arcade/testing";
      const begin = () => startArcade({ at: "score-on-chain", seed: 7, site: true });
      const cpuMs = () => Object.values(process.cpuUsage()).reduce((sum, micros) => sum + micros / 1_000, 0);
      const readScore = async ({ client }) => (await client.rewards.scorebank({})).score;
      const first = await begin();
      const score = await readScore(first);
      await (await begin()).close();
      gc();
      const [startedMs, memory] = [cpuMs(), process.memoryUsage.rss()];
      const eight = await Promise.all(Array.from({ length: 8 }, begin));
      gc();
      const megabytes = (process.memoryUsage.rss() - memory) / 8 / 2 ** 20;
      const scores = await Promise.all(eight.map(readScore));
      await Promise.all(eight.map((arcade) => arcade.close()));
      for (let test = 8; test < 100; test++) {
        const arcade = await begin();
        scores.push(await readScore(arcade));
        await arcade.close();
      }
      const stackMs = (cpuMs() - startedMs) / 100;
      const resetMs = cpuMs();
      for (let test = 0; test < 20; test++) await first.reset();
      const { sessionId } = await first.endSession({ score: 10 });
      const page = await (await fetch(first.httpUrl + "/runs/" + sessionId)).text();
      const marked = page.includes("Played on a test stack");
      const right = scores.filter((one) => one === score).length;
      console.log(JSON.stringify({ right, marked, megabytes, stackMs, resetMs: (cpuMs() - resetMs) / 20 }));
      await first.close();`);
    console.log(output.trim());
    const { right, marked, megabytes, stackMs, resetMs } = JSON.parse(output);
    expect({ right, marked }).to.deep.equal({ right: 100, marked: true });
    expect(megabytes).to.be.below(40);
    // docs/testing.md has the figures of an idle machine, which are less than half.
    expect(stackMs).to.be.below(350);
    expect(resetMs).to.be.below(120);
  });

  it("ends with its process, even if that is killed while it makes an image", async () => {
    writeFileSync(
      join(folder, "killed.mjs"),
      `import { startArcade } from "@agent-arcade/testing";
      await startArcade({ at: "paid", seed: 8 });
      console.log("ready");`,
    );
    const env = { ...process.env, TMPDIR: join(folder, "tmp") };
    for (const moment of ["image", "ready"]) {
      const program = spawn(process.execPath, ["killed.mjs"], {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "inherit"],
        timeout: PROGRAM_MAX_MS,
        killSignal: "SIGKILL",
      });
      const ended = once(program, "close");
      const endsEarly = ended.then(() => {
        throw new Error("the program ended early");
      });
      let maker = "";
      const isMaking = () => {
        maker = readFileSync(`/proc/${program.pid}/task/${program.pid}/children`, "utf8").trim();
        return maker !== "";
      };
      try {
        await Promise.race([moment === "image" ? waitUntil(isMaking) : once(program.stdout, "data"), endsEarly]);
      } finally {
        program.kill("SIGKILL");
        await ended;
      }
      // An ended process has no command line, even if no parent has collected it.
      const hasEnded = () => maker === "" || !existsSync(`/proc/${maker}`) || readCommandLine(maker) === "";
      await waitUntil(hasEnded);
    }
    await execute(`import { startArcade } from "@agent-arcade/testing";
      await (await startArcade()).close();`);
    expect(readdirSync(join(folder, "tmp")).filter((name) => /^arcade-stack-/.test(name))).to.deep.equal([]);
  });

  it("runs as a user without a name, beside a killed program of another user", async () => {
    const temporary = join(folder, "shared-tmp");
    mkdirSync(join(temporary, "arcade-stack-999999999-other/data"), { recursive: true, mode: 0o700 });
    for (const shared of [folder, temporary]) chmodSync(shared, 0o1777);
    writeFileSync(
      join(folder, "test.mjs"),
      `import { startArcade } from "@agent-arcade/testing";
      await (await startArcade({ at: "deployed" })).close();`,
    );
    // Only root can become another user; without that, the folder is simply removed.
    const isRoot = process.getuid?.() === 0;
    const user = isRoot ? { uid: 65_123, gid: 65_123 } : {};
    const env = { ...process.env, HOME: temporary, TMPDIR: temporary };
    await run(process.execPath, ["test.mjs"], { cwd: folder, env, ...user });
    expect(readdirSync(temporary).filter((name) => /^arcade-stack-/.test(name))).to.have.length(isRoot ? 1 : 0);
  });

  it("removes its folders when a program ends without closing", async () => {
    await execute(`import { startArcade } from "@agent-arcade/testing";
      await startArcade({ at: "deployed", seed: 7 });
      process.exit();`);
    expect(readdirSync(join(folder, "tmp")).filter((name) => /^arcade-stack-/.test(name))).to.deep.equal([]);
  });
});
