import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { createFaultEnvironment } from "../../../lab/injected/inject.ts";
import { isLinearizable, type Model } from "../../../lab/simulate/history/linearizable.ts";
import { KEY, type KeyOutput, ONCE, SESSIONS, type SessionOutput } from "../../../lab/simulate/history/models.ts";
import { root } from "../../../scripts/start/build.ts";

const toKeyOutput = (text: string): KeyOutput => (text === "conflict" || text === "first time" ? text : { text });

function toSessionOutput(text: string, isStart: boolean): SessionOutput {
  if (text.startsWith("active ")) return { active: text.slice("active ".length) };
  if (isStart) return { started: text };
  return text === "running" ? text : { score: Number(text) };
}

/** Operations as `FROM-UNTIL INPUT:OUTPUT`, with `FROM-?` for one whose outcome is unknown. */
const OBJECTS = {
  "a nonce": { model: ONCE, toInput: () => null, toOutput: (text: string) => text },
  "a key": { model: KEY, toInput: (text: string) => text, toOutput: toKeyOutput },
  "a wallet": {
    model: SESSIONS,
    toInput: (text: string) => (/^(once|repeatable)$/.test(text) ? { start: text } : { read: text }),
    toOutput: (text: string, input: string) => toSessionOutput(text, /^(once|repeatable)$/.test(input)),
  },
} as const;

function check(name: keyof typeof OBJECTS, operations: string): boolean {
  const { model, toInput, toOutput } = OBJECTS[name];
  const history = [...operations.matchAll(/(\d+)-(\d+|\?) (\w+)(?::([^,]+))?/g)].map(
    ([, from, until, input, output]) => ({
      input: toInput(input!),
      invokedAtMs: Number(from),
      answer: until === "?" ? null : { output: toOutput(output!, input!), atMs: Number(until) },
    }),
  );
  return isLinearizable(history, model as Model<unknown, unknown, unknown>);
}

const GOOD: readonly (readonly [keyof typeof OBJECTS, string])[] = [
  ["a nonce", ""],
  ["a nonce", "0-1 use:added, 2-3 use:refused"],
  // They overlap, even if one ends when the other begins.
  ["a nonce", "0-4 use:added, 1-2 use:refused"],
  ["a nonce", "2-4 use:added, 0-2 use:refused"],
  // One with an unknown outcome takes effect later, or never.
  ["a nonce", "0-? use, 5-6 use:refused"],
  ["a nonce", "0-? use, 5-6 use:added"],
  ["a key", "0-1 a:first time, 2-3 a:1, 4-5 a:1, 6-7 b:conflict"],
  ["a key", "0-? a, 2-3 b:conflict, 4-5 a:1, 6-7 a:1"],
  ["a key", "0-9 a:1, 1-2 a:first time"],
  ["a wallet", "0-1 once:a, 2-3 a:running, 4-5 once:active a, 4-7 a:3, 8-9 once:b, 10-11 a:3"],
  ["a wallet", "0-? once, 1-2 once:active a, 3-4 a:running"],
  ["a wallet", "0-? repeatable, 1-2 repeatable:a, 3-4 repeatable:a"],
];

const BAD: typeof GOOD = [
  ["a nonce", "0-1 use:refused, 2-3 use:added"],
  ["a nonce", "0-3 use:added, 1-2 use:added"],
  ["a nonce", "7-? use, 5-6 use:refused"],
  ["a nonce", "0-? use, 1-2 use:added, 3-4 use:added"],
  ["a key", "0-1 a:1, 2-3 a:2"],
  ["a key", "0-1 a:1, 0-1 b:1"],
  ["a key", "0-1 a:1, 2-3 a:first time"],
  ["a key", "0-1 b:conflict, 2-3 a:1"],
  ["a key", "0-? a, 1-2 b:conflict, 3-4 a:first time"],
  ["a wallet", "0-1 once:a, 2-3 once:b, 4-5 a:running"],
  ["a wallet", "0-1 once:a, 2-3 a:1, 4-5 a:running"],
  ["a wallet", "0-1 once:a, 2-3 a:1, 4-5 a:2"],
  ["a wallet", "0-1 once:a, 2-3 a:1, 4-5 once:active a"],
  ["a wallet", "0-1 once:a, 2-3 once:a"],
  ["a wallet", "0-1 once:active a"],
];

describe("a history of operations", () => {
  for (const [isGood, histories] of [[true, GOOD] as const, [false, BAD] as const])
    for (const [name, operations] of histories)
      it(`of ${name} is ${isGood ? "" : "not "}linearizable: ${operations || "none"}`, () =>
        expect(check(name, operations)).to.equal(isGood));

  it("detects a service that does not keep the answers of idempotency keys", async () => {
    // Every run checks the service without faults.
    const script = `const { createFixtures } = await import("./lab/simulate/run/fixtures.ts");
      const { simulateRun } = await import("./lab/simulate/run/run.ts");
      const fixtures = await createFixtures();
      const onEnded = ({ histories }) => console.log(histories.findBroken());
      await simulateRun({ seed: 10_000_000 }, { fixtures, initialState: fixtures.initialState, onEnded });`;
    const env = { ...process.env, ...createFaultEnvironment(["answer-not-kept"]) };
    const args = ["--input-type=module", "-e", script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
    expect(stdout).to.match(/^idempotency keys of agent \S+ sessions\.start-1: \[/);
  });
});
