/** L1: recorded sessions derived again by another process; one changed bit in log, seed or score is always noticed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { games } from "../../games/index.ts";
import { type RecordedSession, recordSession } from "../../test/games/recorded-session.ts";
import { createRandom, IS_SELF_TEST, printFigures, SEED, scaleCount } from "./support/drill.ts";

const SESSIONS = scaleCount(1000);
const random = createRandom(SEED);

async function rederive(sessions: readonly RecordedSession[]): Promise<string[][]> {
  const script = fileURLToPath(new URL("../../test/games/rederive.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(sessions));
  const [differences] = await Promise.all([json(child.stdout), once(child, "close")]);
  return differences as string[][];
}

function tamper({ replay, claims }: RecordedSession): RecordedSession {
  const choice = Math.floor(random() * 3);
  if (choice === 0 && replay.inputs.length > 0) {
    const at = Math.floor(random() * replay.inputs.length);
    const [tick, code] = replay.inputs[at]!;
    const changed =
      random() < 0.5
        ? ([tick ^ (1 << (random() * 10)), code] as const)
        : ([tick, code ^ (1 << (random() * 4))] as const);
    return { replay: { ...replay, inputs: replay.inputs.with(at, changed) }, claims };
  }
  if (choice === 1) {
    const seed = BigInt(replay.seed) ^ (1n << BigInt(Math.floor(random() * 256)));
    return { replay: { ...replay, seed: `0x${seed.toString(16).padStart(64, "0")}` }, claims };
  }
  return { replay: { ...replay, finalScore: replay.finalScore ^ (1 << (random() * 20)) }, claims };
}

describe("L1: replays of recorded sessions", function () {
  this.timeout(300_000);

  it("a replay confirms its session, and no replay with a changed bit does", async () => {
    const sessions = Array.from({ length: SESSIONS }, (_, i) => {
      const game = games[i % games.length]!;
      const bot = random() < 0.5 ? game.bots.random(i) : game.bots.quick!(random() * 60_000);
      return recordSession({ game, seedNumber: SEED * 10_000 + i + 1, bot });
    });
    // The injected fault: the server stores a wrong score.
    const submitted = IS_SELF_TEST
      ? sessions.with(0, {
          ...sessions[0]!,
          replay: { ...sessions[0]!.replay, finalScore: sessions[0]!.replay.finalScore + 1 },
        })
      : sessions;
    const differing = (await rederive(submitted)).filter((fields) => fields.length > 0);
    const unnoticed = (await rederive(sessions.map(tamper))).filter((fields) => fields.length === 0);
    const ticks = sessions.reduce((sum, { replay }) => sum + replay.ticks, 0);
    printFigures({ sessions: SESSIONS, ticks, differing: differing.length, "changed and unnoticed": unnoticed.length });
    expect(differing).to.deep.equal([]);
    expect(unnoticed).to.deep.equal([]);
  });
});
