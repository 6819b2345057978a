/**
 * Plays sessions whose results must be equal everywhere:
 * `node lab/external-validators/derive.ts MASTER_SEED RUNS [--self-test]`. Prints one line of
 * JSON for each golden replay and for each of RUNS random runs of every game and rules version. `--self-test` plays by
 * rules that depend on the Node version.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Hex } from "viem";
import { verifyReplay } from "../../client/verify-replay.ts";
import { digestJson } from "../../domain/canonical-json.ts";
import { runInputs } from "../../domain/replay/verify.ts";
import { TICK_RATES } from "../../games/fixed.ts";
import { COMMAND_CODES, type Game } from "../../games/game.ts";
import { getRules, versions } from "../../games/index.ts";
import { playBot } from "../../scripts/evaluate/play.ts";
import { games as withTheNextOne } from "../../test/fixtures/games.ts";
import { GOLDEN_REPLAYS_FOLDER } from "../../test/games/golden-replays.ts";
import type { RecordedSession } from "../../test/games/recorded-session.ts";

const TICKS_MAX = 3000;
const BOT_EVERY_RUNS = 8;
const DIGEST_EVERY_TICKS = 100;

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The result of one run. Each digest covers everything up to its tick. */
function computeOutcome(rules: Game, run: { seed: Hex; tickHz: number; inputs: [number, number][]; ticks: number }) {
  const stateDigests: Hex[] = [];
  const frames = createHash("sha256");
  const last = runInputs(rules, run, (state) => {
    frames.update(JSON.stringify(rules.frame(state)));
    if (state.tick % DIGEST_EVERY_TICKS === 0) stateDigests.push(digestJson(state));
  });
  stateDigests.push(digestJson(last));
  return { finalScore: last.score, ticks: last.tick, stateDigests, frames: frames.digest("hex") };
}

/** Seed, tick rate and inputs, derived only from the name. Half of the runs have few inputs. */
function createRandomRun(rules: Game, name: string) {
  const bytes = hash(name);
  const codes = [...rules.inputs.map(({ code }) => code), COMMAND_CODES.pause];
  const inputs: [number, number][] = [];
  for (let tick = 1 + (bytes[0]! % 16); tick <= TICKS_MAX; ) {
    const draw = hash(`${name} ${tick}`);
    inputs.push([tick, codes[draw[0]! % codes.length]!]);
    tick += 1 + (draw[1]! % (bytes[1]! < 128 ? 8 : 24));
  }
  const seed = `0x${hash(`${name} seed`).toString("hex")}` as Hex;
  return { seed, tickHz: TICK_RATES[bytes[2]! % TICK_RATES.length]!, inputs, ticks: TICKS_MAX };
}

/** The reference bot's own run: it reaches the later course, which random inputs never reach. */
function createBotRun(rules: Game, name: string) {
  const bytes = hash(`${name} seed`);
  const { inputs, state } = playBot(rules, Uint8Array.from(bytes), rules.bots.reference());
  const recorded = inputs.flatMap((codes, index) => codes.map((code): [number, number] => [index + 1, code]));
  return { seed: `0x${bytes.toString("hex")}` as Hex, tickHz: rules.tickHz, inputs: recorded, ticks: state.tick };
}

/** The same rules, but with a difference on an older Node. */
const injectFault = (rules: Game): Game => ({
  ...rules,
  step: (state, codes) => {
    rules.step(state, codes);
    if (state.tick === 40 && process.versions.node.startsWith("22.")) state.score += 1;
    return state;
  },
});

const [, , masterSeed = "", runs = "1", flag] = process.argv;
const prepareRules = flag === "--self-test" ? injectFault : (rules: Game): Game => rules;
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

for (const name of readdirSync(GOLDEN_REPLAYS_FOLDER).sort()) {
  const { replay, claims } = JSON.parse(readFileSync(GOLDEN_REPLAYS_FOLDER + name, "utf8")) as RecordedSession;
  const verdict = await verifyReplay(replay, {
    ...claims,
    getRules: (slug, version) => {
      const rules = getRules(slug, version);
      return rules === undefined ? undefined : prepareRules(rules);
    },
  });
  print({ run: name, ...verdict });
}
for (const rules of new Set([...versions, ...withTheNextOne])) {
  for (let n = 0; n < Number(runs); n += 1) {
    const run = `${rules.slug} ${rules.rulesVersion}, ${masterSeed}/${n}`;
    const inputs = n % BOT_EVERY_RUNS === 0 ? createBotRun(rules, run) : createRandomRun(rules, run);
    print({ run, ...computeOutcome(prepareRules(rules), inputs) });
  }
}
