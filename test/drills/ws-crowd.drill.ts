/** F1: 100 spectators that stopped reading beside 50 good ones. The player and the memory must not notice. */
import { expect } from "chai";
import { IS_SELF_TEST, printFigures, scaleCount, sleep } from "./support/drill.ts";
import { GameProcess } from "./support/game-process.ts";

const STOPPED = 100;
const GOOD = 50;
const WATCH_MS = scaleCount(20_000);

describe("F1: spectators that stopped reading", function () {
  this.timeout(180_000);
  let game: GameProcess;
  /** Without load: shows how much the machine itself delays ticks at the same time. */
  let control: GameProcess;
  before(async () => {
    game = await GameProcess.start({ DRILL_LARGE_FRAMES: "1", ...(IS_SELF_TEST ? { DRILL_PLANT: "queue" } : {}) });
    control = await GameProcess.start();
    await control.join("play", await control.open());
  });
  after(() => Promise.all([game.stop(), control.stop()]));

  it("stopped spectators delay no player, starve no other spectator and fill no memory", async () => {
    const session = await game.open();
    const player = await game.join("play", session);
    const good = [];
    for (let i = 0; i < GOOD; i++) good.push(await game.join("spectate", session, i % 2 === 0 ? "&enc=compact" : ""));
    await player.frame(({ phase }) => phase === "running");
    await sleep(3000);
    const before = await game.stats();
    for (let i = 0; i < STOPPED; i++) (await game.join("spectate", session)).ws.pause();
    const start = player.getFrames().at(-1)!.tick;
    const startedMs = performance.now();
    await sleep(WATCH_MS);
    const { tick } = player.getFrames().at(-1)!;
    const expected = ((performance.now() - startedMs) / 1000) * 20;
    const after = await game.stats();
    const p99 = [(await control.stats()).lateness.p99Ms, after.lateness.p99Ms];
    printFigures({
      ticks: `${tick - start} of ${expected.toFixed(0)}`,
      "p99 without load and here": `${p99.map((ms) => ms.toFixed(1)).join(" and ")} ms`,
      heap: `${before.heapMb.toFixed(0)} -> ${after.heapMb.toFixed(0)} MB`,
    });
    expect(tick - start).to.be.within(expected * 0.9, expected * 1.1);
    for (const viewer of good) expect(viewer.getFrames().at(-1)!.tick).to.be.above(tick - 20);
    // A queue is bounded at 64 kB and one frame for each socket; the system's own buffers are not in the heap.
    expect(after.heapMb - before.heapMb, "memory").to.be.below(60);
    expect(p99[1]! - p99[0]!, "the player's ticks").to.be.below(12.5);
  });
});
