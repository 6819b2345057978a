/** LEAK: starts and ends 10,000 sessions with sockets. Afterwards only their rows may be left. */
import { expect } from "chai";
import {
  createRandom,
  expectFigure,
  IS_SELF_TEST,
  printFigures,
  SEED,
  scaleCount,
  sleep,
  waitUntil,
} from "./support/drill.ts";
import { GameProcess } from "./support/game-process.ts";
import type { GameStats } from "./support/game-server.ts";
import { computeMedianSlope, formatMb, toResourceCounts } from "./support/resources.ts";

const SESSIONS = scaleCount(10_000);
const AT_ONCE = 40;
/** Sessions after which caches and compiled code have nearly their size. */
const WARM_UP = Math.max(1500, Math.round(SESSIONS * 0.25));
/** Few enough that the data the service keeps per wallet (at most 10,000 rows) is soon complete and does not look like
 * growth. */
const WALLETS = 500;
const SAMPLES = 15;
/** Allowed growth: the difference between two collections of the same heap, and a little for each session. */
const NOISE_BYTES = 400_000;
const BYTES_PER_SESSION = 60;
const random = createRandom(SEED);

/** A player and a spectator connect, play, and disconnect in one of four ways. */
async function runSessionLifecycle(game: GameProcess): Promise<void> {
  const ending = Math.floor(random() * 4);
  const session = await game.open();
  const player = await game.join("play", session);
  const viewer = await game.join("spectate", session, ending % 2 === 0 ? "&enc=compact" : "");
  // A connection with a wrong token, which the server closes.
  const unauthenticated = ending === 0 ? await game.socket("play", session).open() : null;
  unauthenticated?.send({ t: "auth", token: `ap_${"A".repeat(43)}` });
  player.send({ t: "input", dir: "left" });
  if (ending === 1) viewer.ws.terminate();
  if (ending === 2) await player.frame(() => true);
  if (ending === 3) {
    player.ws.terminate();
    await game.end(session);
  } else player.send({ t: "cmd", cmd: "exit" });
  await Promise.all([player.closed, viewer.closed, unauthenticated?.closed]);
}

async function runSessions(game: GameProcess, sessions: number): Promise<void> {
  let remaining = sessions;
  const runWorker = async (): Promise<void> => {
    while (remaining-- > 0) await runSessionLifecycle(game);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runWorker));
}

describe("LEAK: sessions started and ended", function () {
  this.timeout(1_200_000);
  let game: GameProcess;
  before(async () => {
    const fault: { readonly [name: string]: string } = IS_SELF_TEST
      ? { DRILL_FAULT: process.env.DRILL_LEAK ?? "forget" }
      : {};
    game = await GameProcess.start({ DRILL_WALLETS: String(WALLETS), ...fault });
  });
  after(() => game.stop());

  it("ended sessions leave no socket, timer, entry or memory", async () => {
    const before = await game.stats();
    const waitUntilIdle = async (withinMs = 4000): Promise<GameStats> => {
      let stats = await game.stats();
      await waitUntil(
        "the counts are those of an idle server",
        async () => {
          stats = await game.stats();
          return JSON.stringify(toResourceCounts(stats)) === JSON.stringify(toResourceCounts(before));
        },
        withinMs,
      ).catch(() => {});
      return stats;
    };
    await runSessions(game, WARM_UP);
    const samples: (readonly [number, number])[] = [];
    for (let i = 0; i < SAMPLES; i++) {
      await runSessions(game, Math.round((SESSIONS - WARM_UP) / SAMPLES));
      // Wait for the recorder's last flush, and for cleanup after the sockets.
      await waitUntilIdle();
      await sleep(100);
      samples.push([(i + 1) * ((SESSIONS - WARM_UP) / SAMPLES), (await game.stats()).heapBytes]);
    }
    const after = await waitUntilIdle(30_000);
    const slope = computeMedianSlope(samples);
    const allowed = BYTES_PER_SESSION + NOISE_BYTES / (SESSIONS - WARM_UP);
    printFigures({
      sessions: SESSIONS,
      heap: `${formatMb(before.heapBytes)} -> ${formatMb(samples[0]![1])} -> ${formatMb(after.heapBytes)}`,
      slope: `${slope.toFixed(0)} bytes a session (at most ${allowed.toFixed(0)})`,
      rss: `${after.rssMb.toFixed(0)} MB`,
      left: JSON.stringify(toResourceCounts(after)),
    });
    expect(toResourceCounts(after), "what is left").to.deep.equal(toResourceCounts(before));
    expectFigure(() => expect(slope, "bytes a session").to.be.below(allowed));
  });
});
