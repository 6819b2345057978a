import { expect } from "chai";
import type { SessionStart, SessionStarts } from "../../backend/ports/live.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { getRejection } from "../adapters/store/suite.ts";
import { useNats } from "../helpers/nats.ts";
import { useNatsNodes } from "./nats-nodes.ts";

const player = { wallet: null, agentId: null, agentName: null, practiceTokenHash: "0".repeat(64) };

describe("sessions that are started on another node", () => {
  const nodes = useNatsNodes(useNats(), { count: 3 });
  let row: SessionRow;
  beforeEach(async () => {
    row = await nodes.owner.startSession();
  });

  const toStart = (): SessionStart => {
    const { sessionId, slug } = row;
    return { sessionId, slug, source: "browser_ws", ip: "10.0.0.1", isLockstep: false, player };
  };
  const asking = () => nodes.nodes[1]!.plane.starts;
  const start = () => asking().open(toStart());
  /** Lets a node accept starts, and returns the requests. */
  async function serve(node: number, open: SessionStarts["open"] = async () => row): Promise<SessionStart[]> {
    const asked: SessionStart[] = [];
    nodes.nodes[node]!.plane.starts.serve({
      open: async (start) => {
        asked.push(start);
        return await open(start);
      },
    });
    return asked;
  }
  const fail = (code: "SERVER_FULL" | "SESSION_ACTIVE") => async (): Promise<never> => {
    throw new ArcadeError(code, "No.", { sessionId: "other" });
  };
  const waitForHosts = () => nodes.owner.waitUntil(() => asking().findProblem() === null);

  it("run on the node with the fewest games", async () => {
    const [busy, idle] = [await serve(0), await serve(2)];
    // Both have announced their games.
    await nodes.settle();
    expect(nodes.nodes[1]!.plane.getTotals(row.slug).sessions).to.equal(1);
    expect((await start()).sessionId).to.equal(row.sessionId);
    expect([busy.length, idle.length]).to.deep.equal([0, 1]);
    expect(idle).to.deep.equal([toStart()]);
  });

  it("run on another node while one is full, and are rejected with the reason if all are", async () => {
    const full = await serve(2, fail("SERVER_FULL"));
    await waitForHosts();
    expect(await getRejection(start())).to.include({ code: "SERVER_FULL" });
    const other = await serve(0);
    await nodes.owner.waitUntil(async () => {
      // Rejected until the other node has announced that it accepts starts.
      await start().catch(() => null);
      return other.length > 0;
    });
    expect(full.length).to.be.at.least(2);
  });

  it("are rejected with the first node's answer, and not tried elsewhere", async () => {
    const asked = await serve(2, fail("SESSION_ACTIVE"));
    await waitForHosts();
    const { code, fields } = await getRejection(start());
    expect({ code, fields }).to.deep.equal({ code: "SESSION_ACTIVE", fields: { sessionId: "other" } });
    expect(asked).to.have.length(1);
  });

  it("wait for a node that accepts them, and are not sent to one that is stopping", async () => {
    const leaving = await serve(2);
    await waitForHosts();
    nodes.nodes[2]!.plane.starts.stop();
    const opened = start();
    const taking = await serve(0);
    expect((await opened).sessionId).to.equal(row.sessionId);
    expect([leaving.length, taking.length]).to.deep.equal([0, 1]);
  });

  it("are not sent to a draining node until it accepts work again", async () => {
    const draining = await serve(2);
    await waitForHosts();
    nodes.nodes[2]!.plane.starts.setDraining(true);
    const opened = start();
    const taking = await serve(0);
    await opened;
    expect([draining.length, taking.length]).to.deep.equal([0, 1]);
    await nodes.nodes[0]!.plane.starts.stop();
    nodes.nodes[2]!.plane.starts.setDraining(false);
    await start();
    expect([draining.length, taking.length]).to.deep.equal([1, 1]);
  });

  it("under way delay the stop of a node", async () => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<SessionRow>();
    await serve(2, async () => {
      started.resolve();
      return await finish.promise;
    });
    await waitForHosts();
    const opened = start();
    await started.promise;
    const order: string[] = [];
    const stopped = nodes.nodes[2]!.plane.starts.stop().then(() => order.push("stopped"));
    await nodes.settle();
    order.push("started");
    finish.resolve(row);
    await Promise.all([stopped, opened]);
    expect(order).to.deep.equal(["started", "stopped"]);
  });
});
