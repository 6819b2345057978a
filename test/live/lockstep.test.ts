import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { NO_ENTROPY } from "../../domain/replay/seed.ts";
import { useEach } from "../helpers/fixture.ts";
import { startLiveTestServer } from "./live-suite.ts";
import type { TestSocket } from "./test-socket.ts";

describe("a session that waits for its player", () => {
  let row: SessionRow;
  const testServer = useEach(startLiveTestServer);
  beforeEach(async () => {
    row = await testServer.startSession({ source: "browser_ws" }, null, { isLockstep: true });
  });

  const view = () => testServer.game.registry.getView(row.sessionId);
  const step = (ticks: number) => testServer.game.registry.step(row.sessionId, { move: null, ticks });
  const isEnded = async () => (await testServer.store.sessions.find(row.sessionId))?.phase === "ended";

  /** Sends a move and waits for the frame of its tick. */
  async function move(socket: TestSocket, dir = "left") {
    const tick = view()!.tick + 1;
    socket.send({ t: "input", dir });
    return socket.frame((frame) => frame.tick === tick);
  }

  /** Waits for a frame that was sent after this call. */
  async function nextFrame(socket: TestSocket) {
    const count = socket.getFrames().length;
    await testServer.advance(50);
    await testServer.waitUntil(() => socket.getFrames().length > count);
    return socket.getFrames()[count]!;
  }

  it("shows its first frame, then makes one tick per move and none by itself", async () => {
    const socket = await testServer.play(row);
    expect(socket.messages.find(({ t }) => t === "hello")).to.include({ lockstep: true });
    expect((await socket.frame((frame) => frame.phase === "running")).tick).to.equal(0);
    await testServer.advance(10_000);
    expect(view()!.tick).to.equal(0);
    expect((await move(socket)).tick).to.equal(1);
    await testServer.advance(10_000);
    expect((await move(socket)).tick).to.equal(2);
  });

  it("makes a tick after 30 s without a move", async () => {
    const socket = await testServer.play(row);
    await move(socket);
    await testServer.advance(29_900);
    expect(view()!.tick).to.equal(1);
    await testServer.advance(150);
    expect(view()!.tick).to.equal(2);
    await testServer.advance(29_000);
    expect(view()!.tick).to.equal(2);
  });

  it("shows the state without a tick to a player who returns or ends a pause", async () => {
    const socket = await testServer.play(row);
    await move(socket);
    socket.send({ t: "cmd", cmd: "pause" });
    await testServer.waitUntil(() => view()!.phase === "paused");
    await testServer.advance(100);
    socket.send({ t: "cmd", cmd: "resume" });
    await testServer.waitUntil(() => view()!.phase === "running");
    expect(await nextFrame(socket)).to.include({ phase: "running", tick: 1 });
    socket.ws.terminate();
    await testServer.waitUntil(() => view()!.phase === "paused");
    const second = await testServer.join("play", row);
    expect(await nextFrame(second)).to.include({ phase: "running", tick: 1 });
    expect((await move(second, "right")).tick).to.equal(2);
  });

  it("continues as long as its player requests steps, and ends 5 minutes after the last one", async () => {
    expect(step(3)!.frame).to.include({ phase: "running", tick: 3 });
    testServer.clock.advance(4 * 60_000);
    const { tick } = step(1)!.frame;
    testServer.clock.advance(4 * 60_000);
    expect(view()!.phase).to.equal("running");
    expect(view()!.tick).to.be.above(tick);
    testServer.clock.advance(60_000);
    await testServer.waitUntil(isEnded);
    expect((await testServer.store.sessions.find(row.sessionId))!.endReason).to.equal("disconnect_timeout");
    expect(step(1)).to.equal(null);
  });

  it("continues with the socket of a player who requested steps earlier", async () => {
    step(3);
    const session = testServer.game.registry.get(row.sessionId)!;
    session.connectPlayer(testServer.clock.monotonicMs(), NO_ENTROPY);
    testServer.clock.advance(6 * 60_000);
    expect(view()!.phase).to.equal("running");
  });
});
