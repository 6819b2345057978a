/** LEAK: 10,000 sessions started and ended, with sockets. Afterwards nothing of them is left but their rows. */
import { expect } from "chai";
import { IS_PLANTED, makeRandom, pause, SEED, scaled, tell, until } from "./support/drill.ts";
import { GameProcess } from "./support/game-process.ts";
import type { GameStats } from "./support/game-server.ts";

const SESSIONS = scaled(10_000);
const AT_ONCE = 40;
/** Sessions after which caches and compiled code have nearly their size. */
const WARM_UP = Math.max(300, Math.round(SESSIONS * 0.25));
const SAMPLES = 15;
/** Growth that is still none: what two collections of the same heap differ by, and a little for each session. */
const NOISE_BYTES = 400_000;
const BYTES_PER_SESSION = 60;
const random = makeRandom(SEED);

/** A player and a spectator come, play, and leave in one of the ways there are. */
async function liveOnce(game: GameProcess): Promise<void> {
  const way = Math.floor(random() * 4);
  const session = await game.open();
  const player = await game.join("play", session);
  const viewer = await game.join("spectate", session, way % 2 === 0 ? "&enc=compact" : "");
  // A stranger with a wrong token, who is shown out.
  const stranger = way === 0 ? await game.socket("play", session).open() : null;
  stranger?.send({ t: "auth", token: `ap_${"A".repeat(43)}` });
  player.send({ t: "input", dir: "left" });
  if (way === 1) viewer.ws.terminate();
  if (way === 2) await player.frame(() => true);
  if (way === 3) {
    player.ws.terminate();
    await game.end(session);
  } else player.send({ t: "cmd", cmd: "exit" });
  await Promise.all([player.closed, viewer.closed, stranger?.closed]);
}

async function live(game: GameProcess, sessions: number): Promise<void> {
  let left = sessions;
  const one = async (): Promise<void> => {
    while (left-- > 0) await liveOnce(game);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** The counts of what a session, a socket or a timer would be noticed by. */
const left = ({ sessions, scheduled, storing, connections, channels, strangers, timers, tcpSockets }: GameStats) => ({
  ...{ sessions, scheduled, storing, connections, channels, strangers, timers, tcpSockets },
});

/** Bytes a session, by the median of the slopes between all pairs of samples. */
function slopeOf(samples: readonly (readonly [sessions: number, bytes: number])[]): number {
  const slopes = samples
    .flatMap(([x, bytes], i) => samples.slice(i + 1).map(([otherX, other]) => (other - bytes) / (otherX - x)))
    .sort((a, b) => a - b);
  return slopes[slopes.length >> 1] ?? Number.NaN;
}

describe("LEAK: sessions started and ended", function () {
  this.timeout(1_200_000);
  let game: GameProcess;
  before(async () => {
    game = await GameProcess.start(IS_PLANTED ? { DRILL_PLANT: process.env.DRILL_LEAK ?? "forget" } : {});
  });
  after(() => game.stop());

  it("leave no socket, timer, entry or memory behind", async () => {
    const before = await game.stats();
    const settled = async (): Promise<GameStats> => {
      let stats = await game.stats();
      await until(
        "the counts are those of an idle server",
        async () => {
          stats = await game.stats();
          return JSON.stringify(left(stats)) === JSON.stringify(left(before));
        },
        4000,
      ).catch(() => {});
      return stats;
    };
    await live(game, WARM_UP);
    const samples: (readonly [number, number])[] = [];
    for (let i = 0; i < SAMPLES; i++) {
      await live(game, Math.round((SESSIONS - WARM_UP) / SAMPLES));
      // The recorder's last flush, and what closes behind the sockets.
      await settled();
      await pause(100);
      samples.push([(i + 1) * ((SESSIONS - WARM_UP) / SAMPLES), (await game.stats()).heapBytes]);
    }
    const after = await settled();
    const slope = slopeOf(samples);
    const allowed = BYTES_PER_SESSION + NOISE_BYTES / (SESSIONS - WARM_UP);
    const mb = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
    tell({
      sessions: SESSIONS,
      heap: `${mb(before.heapBytes)} -> ${mb(samples[0]![1])} -> ${mb(after.heapBytes)} MB`,
      slope: `${slope.toFixed(0)} bytes a session (at most ${allowed.toFixed(0)})`,
      rss: `${after.rssMb.toFixed(0)} MB`,
      left: JSON.stringify(left(after)),
    });
    expect(left(after), "what is left").to.deep.equal(left(before));
    expect(slope, "bytes a session").to.be.below(allowed);
  });
});
