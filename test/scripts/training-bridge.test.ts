import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect } from "chai";
import { makeEnv, makeVectorEnv } from "../../client/training/index.ts";
import { createBridge } from "../../scripts/training-bridge/bridge.ts";

const SLUG = "flappybots";
const reset = (...seeds: readonly number[]): Buffer =>
  Buffer.concat([Buffer.from("r"), Buffer.from(Uint32Array.from(seeds).buffer)]);
const step = (...actions: readonly number[]): Buffer => Buffer.from([0x73, ...actions]);
const readFloats = (bytes: Buffer, count: number): number[] =>
  Array.from({ length: count }, (_, index) => bytes.readFloatLE(4 * index));

describe("the training bridge", () => {
  it("answers each request with the environment's numbers, however the bytes arrive", () => {
    const { head, take } = createBridge(SLUG, null);
    const env = makeEnv(SLUG);
    const fields = env.observationFields.length;
    expect(JSON.parse(head)).to.deep.equal({
      slug: SLUG,
      tickHz: 20,
      runs: null,
      ticksPerStep: 1,
      observationFields: env.observationFields,
      actions: env.actions,
    });
    const requests = Buffer.concat([
      reset(7),
      ...Array.from({ length: 60 }, (_, tick) => step(tick % 9 === 0 ? 0 : 1)),
    ]);
    const answers: Buffer[] = [];
    for (let at = 0; at < requests.length; at += 7) answers.push(...take(requests.subarray(at, at + 7)));
    expect(answers).to.have.length(61);
    expect(readFloats(answers[0]!, fields)).to.deep.equal([...env.reset(7).observation]);
    for (let tick = 0; tick < 60; tick++) {
      const { observation, reward, terminated, info } = env.step(tick % 9 === 0 ? 0 : 1);
      const answer = answers[tick + 1]!;
      expect(readFloats(answer, fields + 2)).to.deep.equal([...observation, reward, info.score]);
      expect([...answer.subarray(4 * (fields + 2))]).to.deep.equal([terminated ? 1 : 0, 0]);
    }
  });

  it("has the final score of each run that ends, and starts the next one", () => {
    const RUNS = 3;
    const { take } = createBridge(SLUG, RUNS);
    const envs = makeVectorEnv(SLUG, RUNS);
    const seeds = [5, 9, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].values();
    envs.reset(() => seeds.next().value!);
    expect([...take(reset(5, 9, 2))]).to.have.length(1);
    const size = envs.observationFields.length * RUNS;
    let ended = 0;
    for (let tick = 0; tick < 400; tick++) {
      const actions = [tick % 9 === 0 ? 0 : 1, tick % 10 === 0 ? 0 : 1, 1];
      const { observations, finalScores, finalObservations, terminated } = envs.step(actions);
      const [answer] = [...take(step(...actions))];
      expect(readFloats(answer!, size)).to.deep.equal([...observations]);
      const scores = readFloats(answer!.subarray(4 * (size + RUNS)), RUNS);
      expect(scores.filter((_, run) => terminated[run] === 1)).to.deep.equal(finalScores);
      const finals = answer!.subarray(4 * (size + 2 * RUNS) + 2 * RUNS);
      expect(readFloats(finals, finals.length / 4)).to.deep.equal([...finalObservations]);
      ended += finalScores.length;
    }
    expect(ended).to.be.greaterThan(2);
  });

  it("stops at an unknown request", () => {
    expect(() => [...createBridge(SLUG, null).take(Buffer.from("x"))]).to.throw(RangeError, '"r" or "s"');
    expect(() => [...createBridge(SLUG, null).take(Buffer.concat([reset(1), step(9)]))]).to.throw(RangeError, "action");
  });

  it("waits for the next request when another process has made its pipe non-blocking", async () => {
    const module = new URL("../../scripts/training-bridge/serve.ts", import.meta.url).href;
    const serve = `(await import(${JSON.stringify(module)})).serveBridge("${SLUG}", null, 1)`;
    // The outer process shares its stdin with the bridge, and opens it as a stream, as npm does.
    const outer = `const { spawn } = require("node:child_process");
      const bridge = spawn(process.execPath, ["--input-type=module", "-e", ${JSON.stringify(serve)}], { stdio: "inherit" });
      bridge.once("spawn", () => process.stdin).once("exit", (code) => process.exit(code));`;
    const child = spawn(process.execPath, ["-e", outer], { stdio: ["pipe", "pipe", "inherit"] });
    const exited = once(child, "exit");
    const { head, take } = createBridge(SLUG, null);
    const requests = [reset(7), step(1), step(0)];
    let expected = Buffer.from(head);
    let received = Buffer.alloc(0);
    for await (const chunk of child.stdout) {
      received = Buffer.concat([received, chunk]);
      if (received.length < expected.length) continue;
      const request = requests.shift();
      if (request === undefined) child.stdin.end();
      else {
        expected = Buffer.concat([expected, ...take(request)]);
        child.stdin.write(request);
      }
    }
    expect(await exited).to.deep.equal([0, null]);
    expect([requests.length, received]).to.deep.equal([0, expected]);
  });
});
