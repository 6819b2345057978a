/** F2: a player that vanishes and comes back 50 times, and two sockets of one session. Exactly one may steer. */
import { expect } from "chai";
import { createRandom, IS_SELF_TEST, printFigures, SEED, scaleCount, waitUntil } from "./support/drill.ts";
import { GameProcess } from "./support/game-process.ts";

const RETURNS = scaleCount(50);
const random = createRandom(SEED);

describe("F2: control of a game", function () {
  this.timeout(180_000);
  let game: GameProcess;
  before(async () => {
    game = await GameProcess.start(IS_SELF_TEST ? { DRILL_FAULT: "displace" } : {});
  });
  after(() => game.stop());

  it("only the newest socket of the player has control, through many disconnects and returns", async () => {
    const session = await game.open();
    let current = await game.join("play", session);
    await current.frame(({ phase }) => phase === "running");
    let displaced = 0;
    for (let i = 0; i < RETURNS; i++) {
      const overlaps = random() < 0.5;
      if (!overlaps) {
        current.ws.terminate();
        await current.closed;
      }
      const next = await game.join("play", session);
      expect((await next.waitForHello()).resumed).to.equal(true);
      if (overlaps) {
        current.send({ t: "input", dir: "left", seq: 1_000_000 + i });
        const { ws, closed } = current;
        await waitUntil("the socket before is closed", () => ws.readyState === ws.CLOSED);
        expect(await closed).to.deep.equal({ code: 4009, reason: "DISPLACED" });
        displaced += 1;
      }
      next.send({ t: "input", dir: i % 2 === 0 ? "left" : "right", seq: i });
      const { ackSeq } = await next.frame((frame) => frame.ackSeq === i || (frame.ackSeq ?? 0) >= 1_000_000);
      expect(ackSeq, "a displaced socket was heard").to.equal(i);
      current = next;
    }
    // The service notices a socket's end later than the player.
    await waitUntil("one connection is left", async () => (await game.stats()).connections <= 1);
    const stats = await game.stats();
    printFigures({ returns: RETURNS, displaced, connections: stats.connections });
    expect(stats.connections).to.equal(1);
    expect(stats.sessions).to.equal(1);
  });
});
