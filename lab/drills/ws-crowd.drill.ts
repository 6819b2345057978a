/** F1: 100 spectators that stopped reading beside 50 good ones. The player and memory use must not be affected. */
import { expect } from "chai";
import type { TestSocket } from "../../test/live/test-socket.ts";
import { expectFigure, IS_SELF_TEST, printFigures, scaleCount, sleep } from "./support/drill.ts";
import { GameProcess } from "./support/game-process.ts";
import { expectPunctual, LatenessWatch } from "./support/lateness-watch.ts";

const STOPPED = 100;
const GOOD = 50;
const WATCH_MS = scaleCount(20_000);
const LATE_MAX_MS = 12.5;

const getTick = (socket: TestSocket): number => socket.getFrames().at(-1)!.tick;

describe("F1: spectators that stop reading", function () {
  this.timeout(180_000);
  let game: GameProcess;
  /** Without load: shows how much the machine itself delays ticks at the same time. */
  let control: GameProcess;
  let untouched: TestSocket;
  before(async () => {
    game = await GameProcess.start({ DRILL_LARGE_FRAMES: "1", ...(IS_SELF_TEST ? { DRILL_FAULT: "queue" } : {}) });
    control = await GameProcess.start();
    untouched = await control.join("play", await control.open());
  });
  after(() => Promise.all([game.stop(), control.stop()]));

  it("they do not delay players, hold up other spectators or fill memory", async () => {
    const session = await game.open();
    const player = await game.join("play", session);
    const good: TestSocket[] = [];
    for (let i = 0; i < GOOD; i++) good.push(await game.join("spectate", session, i % 2 === 0 ? "&enc=compact" : ""));
    for (const socket of [player, untouched]) await socket.frame(({ phase }) => phase === "running");
    await sleep(3000);
    const before = await game.stats();
    for (let i = 0; i < STOPPED; i++) (await game.join("spectate", session)).ws.pause();
    const [start, untouchedStart] = [getTick(player), getTick(untouched)];
    const startedMs = performance.now();
    const watch = new LatenessWatch(game, control, LATE_MAX_MS);
    await sleep(WATCH_MS);
    while (!watch.isEnough) await sleep(100);
    const [tick, untouchedTicks] = [getTick(player), getTick(untouched) - untouchedStart];
    const expected = ((performance.now() - startedMs) / 1000) * 20;
    const { excessMs, figure } = await watch.stop();
    const after = await game.stats();
    printFigures({
      ticks: `${tick - start} of ${expected.toFixed(0)}, without load ${untouchedTicks}`,
      "the player's ticks": figure,
      heap: `${before.heapMb.toFixed(0)} -> ${after.heapMb.toFixed(0)} MB`,
    });
    expectFigure(() => {
      // A very busy machine drops ticks of both games.
      expect(tick - start).to.be.within(Math.min(expected, untouchedTicks) * 0.9, expected * 1.1);
      for (const viewer of good) expect(getTick(viewer)).to.be.above(tick - 20);
      // A queue is bounded at 64 kB and one frame for each socket; the system's own buffers are not in the heap.
      expect(after.heapMb - before.heapMb, "memory").to.be.below(60);
    });
    expectPunctual(excessMs, LATE_MAX_MS);
  });
});
