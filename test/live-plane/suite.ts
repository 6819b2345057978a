import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { hashToken } from "../../backend/services/auth/tokens.ts";
import type { LiveTestServer } from "../live/live-suite.ts";
import type { TestSocket } from "../live/test-socket.ts";

/** A node that runs sessions, and the node that sockets and requests reach. In one process both are the same. */
export interface PlaneUnderTest {
  readonly owner: LiveTestServer;
  readonly edge: LiveTestServer;
  /** Waits until every node has received the others' messages. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

const receiveText = (socket: TestSocket): string[] => {
  const texts: string[] = [];
  socket.ws.on("message", (data: Buffer) => texts.push(String(data)));
  return texts;
};

/**
 * Waits while the owner's clock advances, since its ticks send the awaited messages. Each tick waits until the previous
 * tick's messages have arrived. Otherwise, on a busy machine, a game would end before its player's input arrives.
 */
export async function advanceUntil(plane: PlaneUnderTest, condition: () => boolean): Promise<void> {
  await plane.owner.waitUntil(async () => {
    if (condition()) return true;
    await plane.owner.advance(50);
    await plane.settle();
    return false;
  });
}

/** Tests what players, viewers and requests see of a session, wherever it runs. */
export function describeLivePlane(name: string, start: () => Promise<PlaneUnderTest>): void {
  describe(`live plane, ${name}`, () => {
    let plane: PlaneUnderTest;
    let row: SessionRow;
    beforeEach(async () => {
      plane = await start();
      row = await plane.owner.startSession();
    });
    afterEach(() => plane.stop());

    const getSession = () => plane.owner.game.registry.get(row.sessionId)!;
    async function play(): Promise<TestSocket> {
      const socket = await plane.edge.join("play", row);
      await advanceUntil(plane, () => getSession().phase === "running");
      return socket;
    }
    /** How the server closes the socket, while the owner's clock advances: what is lost on the way is sent again. */
    async function waitForClose(socket: TestSocket) {
      const closes: Awaited<TestSocket["closed"]>[] = [];
      void socket.closed.then((close) => closes.push(close));
      await advanceUntil(plane, () => closes.length > 0);
      return closes[0]!;
    }
    const countViewers = () => getSession().seats.connected;
    const getPhase = () => plane.owner.game.registry.get(row.sessionId)?.phase ?? "stored";
    const settleWithClock = <T>(promise: Promise<T>): Promise<T> => plane.owner.runUntilSettled(promise);

    describe("players and viewers", () => {
      it("a player's input steers the session and is acknowledged in a frame", async () => {
        const player = await play();
        player.send({ t: "input", dir: "left", seq: 7 });
        await advanceUntil(plane, () => player.getFrames().some(({ ackSeq }) => ackSeq === 7));
        expect(getSession().recording.inputs.map(([, code]) => code)).to.deep.equal([1]);
      });

      it("inputs of one player take effect in the order in which they were sent", async () => {
        const player = await play();
        const words = ["left", "right", "none"] as const;
        for (let seq = 0; seq < 30; seq++) player.send({ t: "input", dir: words[seq % 3]!, seq });
        await advanceUntil(plane, () => player.getFrames().at(-1)?.ackSeq === 29);
        expect(getSession().recording.inputs.at(-1)?.[1] ?? 0).to.equal(0);
      });

      it("rejects an input that the game does not know, and continues", async () => {
        const player = await play();
        player.send({ t: "action", action: "FLAP" });
        await player.waitForMessage((message) => message.t === "error" && message.code === "BAD_MESSAGE");
        player.send({ t: "input", dir: "right", seq: 1 });
        await advanceUntil(plane, () => player.getFrames().at(-1)?.ackSeq === 1);
        expect(getPhase()).to.equal("running");
      });

      it("viewers of every node get the same bytes", async () => {
        const [near, far] = [await plane.owner.join("spectate", row), await plane.edge.join("spectate", row)];
        const [nearTexts, farTexts] = [receiveText(near), receiveText(far)];
        const player = await play();
        player.send({ t: "input", dir: "left" });
        const lastTick = getSession().tickCount + 20;
        await advanceUntil(plane, () => (far.getFrames().at(-1)?.tick ?? 0) >= lastTick);
        player.send({ t: "cmd", cmd: "exit" });
        for (const socket of [near, far, player]) expect((await waitForClose(socket)).reason).to.equal("EXIT");
        expect(farTexts.length).to.be.greaterThan(20);
        expect(farTexts.join("\n")).to.equal(nearTexts.join("\n"));
      });

      it("a viewer with compact frames gets the same state", async () => {
        const far = await plane.edge.join("spectate", row, { query: "&enc=compact" });
        const player = await play();
        const tick = getSession().tickCount + 10;
        await advanceUntil(plane, () =>
          [far, player].every((socket) => (socket.getFrames().at(-1)?.tick ?? 0) >= tick),
        );
        const [seen, played] = [far, player].map((socket) => socket.getFrames().find((frame) => frame.tick === tick)!);
        const { inputsDigest: _, ...expected } = played!;
        expect(seen).to.deep.equal(expected);
      });

      it("a player's newer socket takes control, and the displaced one cannot steer", async () => {
        const first = await play();
        const second = await plane.owner.join("play", row);
        first.send({ t: "input", dir: "left" });
        expect(await waitForClose(first)).to.deep.equal({ code: 4009, reason: "DISPLACED" });
        second.send({ t: "input", dir: "right", seq: 3 });
        await advanceUntil(plane, () => second.getFrames().some(({ ackSeq }) => ackSeq === 3));
        expect(getSession().recording.inputs.map(([, code]) => code)).to.deep.equal([2]);
        const third = await plane.edge.join("play", row);
        expect((await waitForClose(second)).reason).to.equal("DISPLACED");
        expect(third.messages[0]).to.include({ t: "hello", resumed: true });
      });

      it("a player's newer socket gets frames if the displaced one was on another node, without viewers", async () => {
        const first = await play();
        const second = await plane.edge.join("play", row);
        expect((await waitForClose(first)).reason).to.equal("DISPLACED");
        const lastTick = getSession().tickCount + 5;
        await advanceUntil(plane, () => (second.getFrames().at(-1)?.tick ?? 0) >= lastTick);
      });

      it("the game pauses when the player's socket closes, and continues when the player is back", async () => {
        const player = await play();
        await player.close();
        await plane.owner.waitUntil(() => !getSession().playerConnected);
        expect(getPhase()).to.equal("paused");
        await plane.edge.join("play", row);
        await advanceUntil(plane, () => getPhase() === "running");
      });

      it("pauses end with their budget, and the player is notified", async () => {
        const player = await play();
        for (let pause = 0; pause < 3; pause++) {
          player.send({ t: "cmd", cmd: "pause" });
          await plane.owner.waitUntil(() => getPhase() === "paused");
          player.send({ t: "cmd", cmd: "resume" });
          await plane.owner.waitUntil(() => getPhase() === "running");
        }
        player.send({ t: "cmd", cmd: "pause" });
        const denied = await player.waitForMessage(({ t }) => t === "error");
        expect(denied).to.include({ code: "PAUSE_LIMIT", fatal: false });
        expect(getPhase()).to.equal("running");
      });

      it("a viewer takes the reserved seat and gives it back", async () => {
        const viewer = await plane.edge.join("spectate", row);
        expect(viewer.messages[0]).to.deep.include({ role: "spectate", spectators: { current: 1, max: 5 } });
        await viewer.close();
        await plane.owner.waitUntil(() => countViewers() === 0);
      });

      it("closes the socket of a revoked token", async () => {
        const token = await plane.edge.createSpectateToken(row);
        const viewer = await plane.edge.openSocket("spectate", row).open();
        viewer.send({ t: "auth", token });
        await viewer.waitForHello();
        plane.edge.plane.closeChannel(row.sessionId, hashToken(token));
        expect((await waitForClose(viewer)).reason).to.equal("TOKEN_REVOKED");
        await plane.owner.waitUntil(() => countViewers() === 0);
      });

      it("a socket that arrives after the end is closed with SESSION_ENDED", async () => {
        const token = await plane.edge.createPlayToken(row);
        const late = await plane.edge.openSocket("play", row).open();
        await settleWithClock(plane.owner.game.registry.end(row.sessionId, "ended_by_player"));
        late.send({ t: "auth", token });
        expect(await waitForClose(late)).to.deep.equal({ code: 4004, reason: "SESSION_ENDED" });
      });
    });

    describe("requests", () => {
      it("reads a running session, and nothing of one that is not running", async () => {
        await play();
        const local = plane.owner.game.registry.getView(row.sessionId);
        expect(await plane.edge.plane.getView(row.sessionId)).to.deep.equal(local);
        await settleWithClock(plane.owner.game.registry.end(row.sessionId, "ended_by_player"));
        expect(await plane.edge.plane.getView(row.sessionId)).to.equal(null);
      });

      it("records a heartbeat", async () => {
        await play();
        await plane.owner.advance(1000);
        expect(await plane.edge.plane.heartbeat(row.sessionId)).to.deep.equal({
          phase: "running",
          expiresInSeconds: 60,
        });
      });

      it("makes ticks of a session that waits for its player, and rejects it for others", async () => {
        const waiting = await plane.owner.startSession({ source: "browser_ws" }, null, { isLockstep: true });
        const step = (sessionId: string, dir: string) =>
          (async () => plane.edge.plane.step(sessionId, { move: { t: "input", dir, seq: 4 }, ticks: 3 }))();
        const made = await settleWithClock(step(waiting.sessionId, "left"));
        expect(made!.frame).to.include({ tick: 3, phase: "running", ackSeq: 4 });
        expect(made!.events).to.deep.include({ t: "event", event: "started", tick: 0 });
        for (const [sessionId, dir, code] of [
          [waiting.sessionId, "up", "VALIDATION_FAILED"],
          [row.sessionId, "left", "SESSION_NOT_LOCKSTEP"],
        ] as const)
          expect(await settleWithClock(step(sessionId, dir).catch((error: unknown) => error))).to.include({ code });
      });

      it("ends a session once, and both callers get the stored row", async () => {
        await play();
        const end = () => plane.edge.plane.end(row.sessionId, "ended_by_player");
        const [first, second] = await settleWithClock(Promise.all([end(), end()]));
        expect(first).to.include({ phase: "ended", endReason: "ended_by_player" });
        expect(second).to.deep.equal(first);
        expect(await plane.edge.plane.end(row.sessionId, "ended_by_player")).to.equal(null);
      });

      it("reserves seats up to the session's limit", async () => {
        const reserve = (n: number) =>
          plane.edge.plane.reserveSeat({
            sessionId: row.sessionId,
            tokenHash: `${n}`.padStart(64, "0"),
            ip: "10.0.0.1",
            perIpMax: null,
            expiresAtMs: plane.owner.clock.nowMs() + 30_000,
          });
        for (let n = 1; n <= 5; n++) expect(await reserve(n)).to.deep.equal({ reserved: true, current: n, max: 5 });
        expect(await reserve(6)).to.deep.equal({ reserved: false, current: 5, max: 5 });
      });

      it("counts sessions and viewers of all nodes", async () => {
        await plane.edge.join("spectate", row);
        const getTotals = () => plane.edge.plane.getTotals("shellrunners", "agent_api");
        await plane.owner.waitUntil(() => getTotals().spectators === 1);
        expect(getTotals()).to.deep.equal({ sessions: 1, spectators: 1 });
        expect(plane.edge.plane.getTotals("shellrunners", "browser_ws")).to.deep.equal({ sessions: 0, spectators: 0 });
      });
    });
  });
}
