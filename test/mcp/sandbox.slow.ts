import { once } from "node:events";
import { expect } from "chai";
import { ToolError } from "../../mcp/errors.ts";
import { CHILD_PROGRAM } from "../../mcp/sandbox/bundle.ts";
import { POLICY_LIMITS, PolicyProcess, spawnSandbox } from "../../mcp/sandbox/process.ts";

const FRAME = { tick: 7, pawn: { y: 1 } };

/** The first move of a policy, or the code and text of its error. */
async function play(text: string): Promise<unknown> {
  let policy: PolicyProcess | null = null;
  try {
    policy = await PolicyProcess.start(text);
    return (await policy.tick(FRAME)).move;
  } catch (error) {
    if (error instanceof ToolError) return `${error.code} ${error.message}`;
    throw error;
  } finally {
    policy?.stop();
  }
}

/** Evaluates each expression in the policy; the move has the numbers of those that did not throw. */
const listWorking = (expressions: readonly string[]): string =>
  `() => [${expressions.map((each) => `() => ${each}`).join(",")}].flatMap((run, index) => { try { run(); return [index]; } catch { return []; } })`;

const OWN = { key: null, isPlayer: true };

describe("the sandbox of a policy", function () {
  // Processes of policies run behind others: a busy machine may need all the time by the clock that they may have.
  this.timeout(3 * POLICY_LIMITS.silentMs);

  it("gives the policy the frame and its memory, and takes its move", async () => {
    expect(
      await play("(frame, memory) => { memory.n = (memory.n ?? 0) + 1; return { tick: frame.tick, n: memory.n }; }"),
    ).to.deep.equal({ tick: 7, n: 1 });
    expect(await play("function policy() { return null; }")).to.equal(null);
  });

  it("reports the line of a policy that fails", async () => {
    expect(await play("(frame) => {\n  return frame.missing.x;\n}")).to.match(/^POLICY_FAILED .*in line 2 at tick 7/);
    expect(await play("(frame) => {\n  return {\n")).to.match(/^POLICY_INVALID .*in line/);
    expect(await play("42")).to.match(/^POLICY_INVALID .*gives no function/);
  });

  it("has nothing of Node in the policy's context", async () => {
    const names = ["require", "process", "fetch", "WebSocket", "Buffer", "setTimeout", "WebAssembly"];
    const memory = ["Uint8Array", "ArrayBuffer", "SharedArrayBuffer", "Atomics", "Float64Array"];
    expect(await play(listWorking([...names, ...memory]))).to.deep.equal([]);
  });

  it("lets no text become code by the constructor of any object", async () => {
    const ways = [
      "eval('1')",
      "new Function('return process')()",
      "this.constructor.constructor('return process')()",
      "(() => {}).constructor('return process')()",
      "(async () => {}).constructor('return process')()",
      "(function* () {}).constructor('return process')()",
      "globalThis.constructor.constructor('return process')()",
      "(() => { Error.prepareStackTrace = (_, sites) => sites; const [site] = new Error().stack; return site.constructor.constructor('return process')(); })()",
      "(() => { const f = () => f(); try { f(); } catch (e) { return e.constructor.constructor('return process')(); } })()",
      "console.log.constructor('return process')()",
    ];
    expect(await play(listWorking(ways))).to.deep.equal([]);
  });

  it("shows no function of Node's on the stack", async () => {
    const callers =
      "() => { Error.prepareStackTrace = (_, sites) => sites.map((site) => typeof site.getFunction() + typeof site.getThis()).filter((found) => found !== 'undefinedundefined').length; return new Error().stack; }";
    const found = await play(callers);
    // The policy's own functions may be seen, the strict ones around it not.
    expect(found).to.be.at.most(1);
  });

  it("refuses modules", async () => {
    for (const text of ["() => import('node:fs')", "import fs from 'node:fs'; () => null"])
      expect(await play(text), text).to.match(/^POLICY_INVALID .*import/);
  });

  it("is not led astray by a policy that replaces what its context is made of", async () => {
    const tricks = [
      "JSON.parse = () => ({}); JSON.stringify = () => '{\"move\":1}'; () => 5",
      "Object.prototype.toJSON = () => 6; () => null",
      "Object.defineProperty(Object.prototype, 'error', { get: () => undefined }); () => 5",
      "Array.prototype.push = Array.prototype.map = () => { throw 1; }; () => 5",
      "String.prototype.match = RegExp.prototype.exec = () => { throw 1; }; () => 5",
    ];
    for (const trick of tricks) {
      const outcome = await play(trick);
      const isHarmless = outcome === 5 || outcome === 6 || outcome === null || /^POLICY_/.test(String(outcome));
      expect(isHarmless, `${trick}: ${JSON.stringify(outcome)}`).to.equal(true);
    }
  });

  it("stops a policy that does not return, in its text and in a tick", async () => {
    const [inText, inTick] = await Promise.all([play("for (;;);"), play("() => { for (;;); }")]);
    expect(inText).to.match(/^POLICY_TIMEOUT/);
    expect(inTick).to.match(/^POLICY_TIMEOUT/);
  });

  it("drops a move that took longer than 5 ms of CPU time", async () => {
    const policy = await PolicyProcess.start(
      "() => { const end = Date.now() + 60; while (Date.now() < end); return 1; }",
    );
    try {
      expect(await policy.tick(FRAME)).to.deep.equal({ move: null, isLate: true });
    } finally {
      policy.stop();
    }
  });

  it("stops a policy that fills the memory, by lists or by texts", async () => {
    // Few large parts: they fill the memory long before the policy's time is over.
    const bombs = ["new Array(2 ** 20).fill(1)", "('x'.repeat(2 ** 25) + all.length).normalize()"];
    for (const bomb of bombs) {
      const outcome = await play(`() => { const all = []; for (;;) all.push(${bomb}); }`);
      expect(outcome, bomb).to.match(/^POLICY_MEMORY/);
    }
  });

  it("takes no long move", async () => {
    expect(await play("() => 'x'.repeat(1000000)")).to.match(/^POLICY_FAILED .*at most/);
    expect(await play("() => 'x'.repeat(300)")).to.match(/^POLICY_FAILED .*at most/);
    expect(await play(`() => null; //${"x".repeat(70_000)}`)).to.match(/^POLICY_INVALID .*at most/);
  });

  it("has no files, processes, threads, addons or network, even for code outside the policy's context", async () => {
    const attempts: { readonly [name: string]: string } = {
      read: 'loaded.fs.readFileSync("/etc/hostname")',
      list: 'loaded.fs.readdirSync("/")',
      write: 'loaded.fs.writeFileSync("/tmp/arcade-sandbox-test", "x")',
      process: 'loaded.child_process.spawnSync("id")',
      worker: 'new loaded.worker_threads.Worker("1", { eval: true })',
      addon: 'process.dlopen({ exports: {} }, "/x.node")',
      binding: 'process.binding("tcp_wrap")',
      builtin: 'process.getBuiltinModule("net")',
      wasi: 'new loaded.wasi.WASI({ version: "preview1" })',
      inspector: "loaded.inspector.open(0)",
      connect: 'loaded.net.connect(80, "127.0.0.1")',
      listen: 'loaded.net.createServer().listen(0, "127.0.0.1")',
      http: 'loaded.http.get("http://127.0.0.1:80").end()',
      udp: 'loaded.dgram.createSocket("udp4").bind(0)',
      fetch: "fetch('http://127.0.0.1')",
      code: 'new Function("return 1")()',
      kill: "process.kill(process.ppid, 0)",
      prototypes: "Array.prototype.push = 1; if (Array.prototype.push !== 1) throw 1",
    };
    const modules = ["fs", "child_process", "worker_threads", "wasi", "inspector", "net", "http", "dgram"];
    const load = `const loaded = Object.fromEntries(${JSON.stringify(modules)}.map((name) => [name, require("node:" + name)]));`;
    const run = Object.entries(attempts).map(
      ([name, code]) => `try { (() => { ${code} })(); found.push(${JSON.stringify(name)}); } catch {}`,
    );
    const program = `${load}\n{${CHILD_PROGRAM}\nconst found = []; ${run.join("\n")}\nstdout.write(JSON.stringify({ found, env: process.env })); stdin.destroy(); }`;
    const child = spawnSandbox(program);
    let output = "";
    child.stdout!.on("data", (text) => {
      output += text;
    });
    await once(child, "close");
    expect(JSON.parse(output)).to.deep.equal({ found: [], env: {} });
  });
});

describe("a simulation", function () {
  this.timeout(60_000);

  it("gives the same scores for the same seeds as the rules", async () => {
    const { Simulations } = await import("../../mcp/simulations.ts");
    const { playAuthorsBot, toSeed } = await import("../../scripts/evaluate/play.ts");
    const { findGame } = await import("../../games/index.ts");
    const { FLAPPY_POLICY } = await import("./policies.ts");
    const game = findGame("flappybots")!;
    const bot = new Function(`return ${FLAPPY_POLICY}`)();
    const { state } = await playAuthorsBot(game, toSeed(3), bot);
    const request = { slug: "flappybots", policy: FLAPPY_POLICY, seeds: 1, firstSeed: 3, maxSeconds: 600 };
    const result = await new Simulations().run(request, OWN);
    expect(result.best).to.deep.equal({ seed: 3, points: state.score });
    expect(result.isComplete).to.equal(true);
  });

  it("reports the seed on which a policy fails", async () => {
    const { Simulations } = await import("../../mcp/simulations.ts");
    const policy =
      "let runs = 0; (frame) => { if (frame.tick === 0) runs += 1; if (runs === 3) throw new Error('third'); return null; }";
    const failure = await new Simulations()
      .run({ slug: "flappybots", policy, seeds: 5, firstSeed: 0, maxSeconds: 5 }, OWN)
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(ToolError);
    expect((failure as ToolError).fields).to.deep.equal({ line: 1, tick: 0, seed: 2 });
  });
});
