import { expect } from "chai";
import { ArcadeError } from "../../domain/errors.ts";
import { useEach } from "../helpers/fixture.ts";
import { startLiveTestServer } from "./live-suite.ts";

describe("a session that another backend runs now", () => {
  const testServer = useEach(startLiveTestServer);

  const startMoved = async () => {
    const [row, other] = [await testServer.startSession(), await testServer.startSession()];
    return { row, other, player: await testServer.play(row), viewer: await testServer.join("spectate", row) };
  };

  it("is dropped at the next flush: its sockets close with SERVER_RESTART, and others continue", async () => {
    const { row, other, player, viewer } = await startMoved();
    testServer.store.sessions.record = async () => [row.sessionId];
    await testServer.advance(1000);
    for (const socket of [player, viewer])
      expect(await socket.closed).to.deep.include({ code: 1012, reason: "SERVER_RESTART" });
    const { registry } = testServer.game;
    expect(registry.getView(row.sessionId)).to.equal(null);
    expect(registry.heartbeat(row.sessionId)).to.equal(null);
    expect(await registry.end(row.sessionId, "exit")).to.equal(null);
    expect(registry.getView(other.sessionId)).to.not.equal(null);
    expect(testServer.game.stats()).to.include({ sessions: 1, scheduled: 1 });
  });

  it("is dropped when its end is rejected, which is not retried", async () => {
    const { row, player } = await startMoved();
    let ends = 0;
    testServer.store.sessions.end = async () => {
      ends += 1;
      throw new ArcadeError("SHUTTING_DOWN", "Another backend runs the session.");
    };
    const rejection = await testServer.game.registry.end(row.sessionId, "exit").catch((error: unknown) => error);
    expect(rejection).to.include({ code: "SHUTTING_DOWN" });
    expect(await player.closed).to.deep.include({ code: 1012, reason: "SERVER_RESTART" });
    await testServer.advance(3000);
    expect(ends).to.equal(1);
    expect(testServer.game.stats()).to.include({ sessions: 1, storing: 0 });
  });
});
