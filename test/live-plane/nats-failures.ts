import { expect } from "chai";
import type { Bus } from "../../backend/adapters/live-plane/bus.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { parseTick } from "../../domain/protocol/session-tick.ts";
import { getRejection } from "../adapters/store/suite.ts";
import type { NatsServer } from "../helpers/nats.ts";
import { TestClock } from "../helpers/test-clock.ts";
import type { LiveTestServer } from "../live/live-suite.ts";
import type { TestSocket } from "../live/test-socket.ts";
import { connectBus, leaveNode, type NatsNodes, startNatsNodes } from "./nats-nodes.ts";
import { advanceUntil as advancePlaneUntil } from "./suite.ts";

/** Behavior when nodes, sessions and the connection come and go, and with invalid messages. */
export function describeNatsFailures(getNats: () => NatsServer): void {
  describe("live plane, failures over NATS", () => {
    let nodes: NatsNodes;
    let row: SessionRow;
    let observer: Bus;
    async function start(options: Parameters<typeof startNatsNodes>[1] = {}): Promise<void> {
      nodes = await startNatsNodes(getNats().url, options);
      row = await nodes.owner.startSession();
      observer = await connectBus(getNats().url);
    }
    afterEach(async () => {
      await observer.close();
      await nodes.stop();
    });

    const subject = (name: string) => `${nodes.prefix}.session.${row.sessionId}.${name}`;
    const getSession = (server: LiveTestServer = nodes.owner) => server.game.registry.get(row.sessionId)!;
    const lastTick = (socket: TestSocket) => socket.getFrames().at(-1)?.tick ?? -1;
    const advanceUntil = (condition: () => boolean): Promise<void> => advancePlaneUntil(nodes, condition);
    async function play(): Promise<TestSocket> {
      const socket = await nodes.edge.join("play", row);
      await advanceUntil(() => getSession().phase === "running");
      return socket;
    }
    /** The owner's answer follows its earlier messages, so the observer has received them. */
    const waitForPublished = (): Promise<void> =>
      new Promise((resolve) => {
        observer.request(subject("call"), JSON.stringify({ op: "view" }), 30_000, () => resolve());
      });

    it("a node publishes a frame once a tick for any number of viewers, and only while another node listens", async () => {
      await start();
      const published: number[] = [];
      observer.subscribe(subject("frames.*"), ({ data }) => {
        published.push(parseTick(data)!.frame.frame.tick);
      });
      const near = await nodes.owner.join("spectate", row);
      await nodes.owner.join("play", row);
      await advanceUntil(() => lastTick(near) >= 10);
      await waitForPublished();
      expect(published).to.deep.equal([]);
      const far: TestSocket[] = [];
      for (let n = 0; n < 4; n++) far.push(await nodes.edge.join("spectate", row));
      const [from, to] = [getSession().tickCount + 1, getSession().tickCount + 20];
      await advanceUntil(() => far.every((socket) => lastTick(socket) >= to));
      await waitForPublished();
      const ticks = Array.from({ length: to - from + 1 }, (_, n) => from + n);
      expect(published.filter((tick) => tick >= from && tick <= to)).to.deep.equal(ticks);
      for (const socket of far) await socket.close();
      await nodes.owner.waitUntil(() => getSession().seats.connected === 1);
      const last = getSession().tickCount;
      await advanceUntil(() => lastTick(near) >= last + 10);
      await waitForPublished();
      expect(published.filter((tick) => tick > last)).to.deep.equal([]);
    });

    it("while NATS is unavailable games continue, remote viewers wait and resume, remote players return", async () => {
      await start();
      const [near, far] = [await nodes.owner.join("spectate", row), await nodes.edge.join("spectate", row)];
      const player = await play();
      await getNats().kill();
      expect(await player.closed).to.deep.equal({ code: 1012, reason: "SERVER_RESTART" });
      await nodes.owner.waitUntil(() => !getSession().playerConnected);
      expect(nodes.nodes.map(({ plane }) => plane.findProblem())).to.not.include(null);
      expect((await getRejection(Promise.resolve(nodes.edge.plane.getView(row.sessionId)))).code).to.equal(
        "SHUTTING_DOWN",
      );
      const seen = near.getFrames().length;
      await advanceUntil(() => near.getFrames().length >= seen + 10);
      await getNats().start();
      await nodes.owner.waitUntil(() => nodes.nodes.every(({ plane }) => plane.findProblem() === null));
      await nodes.owner.waitUntil(() => getSession().seats.connected === 2);
      const back = await nodes.edge.join("play", row);
      const tick = getSession().tickCount;
      await advanceUntil(() => [near, far, back].every((socket) => lastTick(socket) >= tick + 5));
      expect(far.ws.readyState).to.equal(far.ws.OPEN);
    });

    it("viewers follow a session to its new node, and the old player's inputs do not reach it", async () => {
      await start({ count: 3 });
      const next = nodes.nodes[2]!.server;
      const inputs: { readonly host: string; readonly epoch: number }[] = [];
      observer.subscribe(subject("input"), ({ data }) => inputs.push(JSON.parse(String(data))));
      const viewer = await nodes.edge.join("spectate", row);
      const player = await play();
      player.send({ t: "input", dir: "left", seq: 1 });
      await nodes.owner.waitUntil(() => inputs.length === 1);
      leaveNode(nodes.owner, row);
      expect((await player.closed).reason).to.equal("SERVER_RESTART");
      next.game.registry.open(row, null);
      await nodes.owner.waitUntil(() => getSession(next).seats.connected === 1);
      const back = await nodes.edge.join("play", row);
      await advanceUntil(() => getSession(next).phase === "running");
      await advanceUntil(() => lastTick(viewer) >= 0 && lastTick(viewer) === lastTick(back));
      for (let epoch = 1; epoch <= 4; epoch++)
        observer.publish(subject("input"), JSON.stringify({ ...inputs[0], epoch }));
      await waitForPublished();
      back.send({ t: "input", dir: "right", seq: 9 });
      await advanceUntil(() => back.getFrames().some(({ ackSeq }) => ackSeq === 9));
      expect(getSession(next).recording.inputs.map(([, code]) => code)).to.deep.equal([2]);
    });

    it("a node that falls silent loses its player and its viewers", async () => {
      await start();
      await nodes.edge.join("spectate", row);
      await play();
      expect([getSession().playerConnected, getSession().seats.connected]).to.deep.equal([true, 1]);
      await nodes.nodes[1]!.bus.close();
      await nodes.owner.waitUntil(() => !getSession().playerConnected && getSession().seats.connected === 0);
    });

    it("a call waits for a session that is moving, and answers SHUTTING_DOWN after 5 s", async () => {
      const planeClock = new TestClock();
      await start({ planeClock });
      leaveNode(nodes.owner, row);
      async function settle<T>(promise: Promise<T>): Promise<T> {
        let isSettled = false;
        promise.then(
          () => (isSettled = true),
          () => (isSettled = true),
        );
        await nodes.owner.waitUntil(async () => {
          planeClock.advance(5);
          await nodes.settle();
          return isSettled;
        });
        return promise;
      }
      const startMs = planeClock.monotonicMs();
      const error = await getRejection(settle(Promise.resolve(nodes.edge.plane.heartbeat(row.sessionId))));
      expect(error).to.include({ code: "SHUTTING_DOWN" });
      expect(error.fields).to.include({ retryAfterSeconds: 1 });
      expect(planeClock.monotonicMs() - startMs).to.be.at.least(5000);
      const beat = Promise.resolve(nodes.edge.plane.heartbeat(row.sessionId));
      nodes.owner.game.registry.open(row, null);
      expect((await settle(beat))?.phase).to.equal("ready");
    });

    it("errors keep their code and fields in transit", async () => {
      await start();
      const { registry } = nodes.owner.game;
      registry.reserveSeat = () => {
        throw new ArcadeError("SPECTATORS_FULL", "5/5 spectators limit reached", { spectatorsMax: 5 });
      };
      const seat = { tokenHash: "0".repeat(64), ip: null, expiresAtMs: 1, perIpMax: null };
      const reserved = Promise.resolve(nodes.edge.plane.reserveSeat({ sessionId: row.sessionId, ...seat }));
      const { code, message, fields } = await getRejection(reserved);
      expect({ code, message, fields }).to.deep.equal({
        code: "SPECTATORS_FULL",
        message: "5/5 spectators limit reached",
        fields: { spectatorsMax: 5 },
      });
    });

    it("messages without the expected form change nothing and reach no socket", async () => {
      await start();
      const viewer = await nodes.edge.join("spectate", row);
      const player = await play();
      let host = "";
      observer.subscribe(subject("frames.*"), ({ subject: text }) => {
        host = text.split(".").at(-1)!;
      });
      await advanceUntil(() => host !== "");
      await nodes.owner.waitUntil(() => lastTick(player) === getSession().tickCount);
      // A pong follows all that was sent before it.
      viewer.send({ t: "ping" });
      await viewer.waitForMessage(({ t }) => t === "pong");
      const received = viewer.messages.length;
      const bad = ["", "x", "{}", '{"t":"close"}', '{"op":"end"}', "\x81\x05hello", "\x81\x7f", `\x81\x02{}`];
      for (const text of bad) {
        const bytes = Buffer.from(text, "latin1");
        for (const name of ["call", "input", `frames.${host}`]) observer.publish(subject(name), bytes);
        observer.publish(`${nodes.prefix}.node.totals`, bytes);
      }
      await nodes.owner.waitUntil(() => nodes.warnings.length >= 3 * bad.length);
      expect(viewer.messages.length).to.equal(received);
      player.send({ t: "input", dir: "left", seq: 5 });
      await advanceUntil(() => viewer.getFrames().some(({ ackSeq }) => ackSeq === 5));
      expect(new Set(nodes.warnings)).to.deep.equal(
        new Set([
          "a call of another node does not have the expected form",
          "an input of another node does not have the expected form",
          "a message of another node does not have the expected form",
        ]),
      );
    });
  });
}
