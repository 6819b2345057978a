import { expect } from "chai";
import { type Bus, NO_RESPONDER } from "../../backend/adapters/live-plane/bus.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { parseTick } from "../../domain/protocol/session-tick.ts";
import { useNats } from "../helpers/nats.ts";
import type { TestSocket } from "../live/test-socket.ts";
import { connectBus, leaveNode, useNatsNodes } from "./nats-nodes.ts";
import { advanceUntil as advancePlaneUntil } from "./suite.ts";

const FORMER_TICKS = 20;

describe("a session that has left its node", () => {
  const getNats = useNats();
  const nodes = useNatsNodes(getNats, { count: 3 });
  let row: SessionRow;
  let observer: Bus;
  beforeEach(async () => {
    row = await nodes.owner.startSession();
    observer = await connectBus(getNats().url);
  });
  afterEach(() => observer.close());

  const subject = (name: string) => `${nodes.prefix}.session.${row.sessionId}.${name}`;
  const advanceUntil = (condition: () => boolean): Promise<void> => advancePlaneUntil(nodes, condition);
  const listTicks = (socket: TestSocket) => socket.getFrames().map(({ tick }) => tick);
  /** Later messages arrive after those that the observer has published. */
  const waitForServer = (bus = observer) => bus.ask(`${nodes.prefix}.none`, "", 30_000);

  it("frames that its former owner still publishes do not reach viewers or players of another node", async () => {
    const next = nodes.nodes[2]!.server;
    const published: { readonly subject: string; readonly data: Buffer }[] = [];
    observer.subscribe(subject("frames.*"), (message) => published.push(message));
    const viewer = await nodes.edge.join("spectate", row);
    const player = await nodes.edge.join("play", row);
    await advanceUntil(() => nodes.owner.game.registry.get(row.sessionId)!.phase === "running");
    await advanceUntil(() => listTicks(viewer).some((tick) => tick >= FORMER_TICKS));
    const listLate = () => published.filter(({ data }) => (parseTick(data)?.frame.frame.tick ?? 0) >= FORMER_TICKS - 1);
    await nodes.owner.waitUntil(() => listLate().length > 1);
    const late = listLate();
    const publishLate = async (): Promise<void> => {
      for (const message of late) observer.publish(message.subject, message.data);
      await waitForServer();
    };

    leaveNode(nodes.owner, row);
    expect((await player.closed).reason).to.equal("SERVER_RESTART");
    const seen = viewer.getFrames().length;
    // Before the node's sockets know the session's new owner.
    await publishLate();
    next.game.registry.open(row, null);
    await nodes.owner.waitUntil(() => next.game.registry.get(row.sessionId)!.seats.connected === 1);
    const back = await nodes.edge.join("play", row);
    // And after they know it.
    await publishLate();
    await advanceUntil(() => [viewer, back].every((socket) => (listTicks(socket).at(-1) ?? 0) >= 5));
    const countLate = (ticks: readonly number[]) => ticks.filter((tick) => tick >= FORMER_TICKS - 1).length;
    // A spectator's last tick of the former owner may have waited for the next one.
    expect(countLate(listTicks(viewer).slice(seen))).to.be.at.most(1);
    expect(countLate(listTicks(back))).to.equal(0);
  });

  it("gets one request from a node whose request its former and its new node answer", async () => {
    const [former, next] = [observer, await connectBus(getNats().url)];
    former.subscribe(subject("moved"), (message) => message.respond(NO_RESPONDER));
    next.subscribe(subject("moved"), (message) => {
      // After the former node's answer.
      void waitForServer(next).then(() => message.respond("joined"));
    });
    await Promise.all([former, next].map(waitForServer));
    const reply = await nodes.nodes[1]!.bus.ask(subject("moved"), "", 30_000);
    await next.close();
    expect(reply).to.deep.equal({ kind: "reply", data: Buffer.from("joined") });
  });

  it("is told to undo an abandoned join, which it may still execute", async () => {
    const calls: { readonly op: string; readonly tokenHash: string }[] = [];
    observer.subscribe(subject("call"), ({ data }) => void calls.push(JSON.parse(String(data))));
    await waitForServer();
    leaveNode(nodes.owner, row);
    const token = await nodes.edge.createPlayToken(row);
    const player = await nodes.edge.openSocket("play", row).open();
    player.send({ t: "auth", token });
    expect((await player.closed).reason).to.equal("SERVER_RESTART");
    await waitForServer();
    const [join, last] = [calls.find(({ op }) => op === "join")!, calls.at(-1)];
    expect(last).to.deep.equal({ op: "close", tokenHash: join.tokenHash });
  });

  it("gets one state request for many readers of another node", async () => {
    const calls: string[] = [];
    observer.subscribe(subject("call"), ({ data }) => void calls.push(String(data)));
    await waitForServer();
    const { plane } = nodes.nodes[1]!;
    const views = await Promise.all(Array.from({ length: 100 }, () => plane.peekView(row.sessionId)));
    expect(new Set(views.map((view) => view?.phase))).to.deep.equal(new Set(["ready"]));
    await waitForServer();
    expect(calls).to.deep.equal(['{"op":"view"}']);
  });
});
