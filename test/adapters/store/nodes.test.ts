import { expect } from "chai";
import type { Connection } from "../../../backend/adapters/store/connection.ts";
import { NodeLease } from "../../../backend/adapters/store/nodes/node-lease.ts";
import type { NodeStore } from "../../../backend/ports/store/nodes.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog } from "../chain/chain-fixture.ts";
import { addSession } from "./rows.ts";
import { describeNodes, describeStore, EXPIRED_LEASE_MS, getRejection, TEST_LEASE_MS, writeNothing } from "./suite.ts";

const getIds = async (rows: ReturnType<NodeStore["listLive"]>) => (await rows).map(({ nodeId }) => nodeId);
const createNode = (nodeId: string, isExclusive = false) => ({ nodeId, url: `http://${nodeId}.example`, isExclusive });

describeStore("the nodes of a database", (store, { other, runConcurrently }) => {
  const register = (nodeId: string, isExclusive = false, { nodes } = store) =>
    nodes.register(createNode(nodeId, isExclusive), TEST_LEASE_MS);
  const renew = (nodeId: string, leaseMs = TEST_LEASE_MS) => store.nodes.renew(nodeId, leaseMs);

  it("are listed to each other while their lease is valid", async () => {
    expect(await register("one")).to.deep.equal({ registered: true });
    await other.nodes.register({ nodeId: "other", url: null, isExclusive: false }, TEST_LEASE_MS);
    const rows = await store.nodes.listLive();
    expect(rows.map(({ nodeId, url, isExclusive }) => [nodeId, url, isExclusive])).to.deep.equal([
      ["one", "http://one.example", 0],
      ["other", null, 0],
    ]);
    for (const { startedAtMs, leaseUntilMs } of rows) expect(leaseUntilMs).to.be.greaterThan(startedAtMs);
  });

  it("renew a lease that has not run out, and never one that has", async () => {
    await register("one");
    const [before] = await store.nodes.listLive();
    expect(await renew("one", 2 * TEST_LEASE_MS)).to.equal(true);
    const [after] = await store.nodes.listLive();
    expect(after!.leaseUntilMs - before!.leaseUntilMs).to.be.at.least(TEST_LEASE_MS);

    expect(await renew("one", EXPIRED_LEASE_MS)).to.equal(true);
    expect(await renew("one")).to.equal(false);
    expect(await getIds(store.nodes.listLive())).to.deep.equal([]);
  });

  it("do not renew the lease of a node that was released, or never registered", async () => {
    await register("one");
    await store.nodes.release("one");
    for (const nodeId of ["one", "unknown"]) expect(await renew(nodeId), nodeId).to.equal(false);
    expect(await store.nodes.listLive()).to.deep.equal([]);
  });

  it("allow no other node beside an exclusive one, in either order", async () => {
    const expectRefused = async (isExclusive: boolean, byNode: string): Promise<void> =>
      void expect(await register("other", isExclusive, other)).to.have.nested.property("other.nodeId", byNode);
    await register("one", true);
    for (const isExclusive of [true, false]) await expectRefused(isExclusive, "one");
    await store.nodes.release("one");
    await register("shared");
    await expectRefused(true, "shared");
    await renew("shared", EXPIRED_LEASE_MS);
    expect(await register("other", true, other)).to.deep.equal({ registered: true });
    expect(await getIds(other.nodes.listLive())).to.deep.equal(["other"]);
  });

  it("register one of many exclusive nodes that start at once", async () => {
    const registrations = await runConcurrently((each, index) => register(`node-${index}`, true, each));
    expect(registrations.filter(({ registered }) => registered)).to.have.length(1);
    expect(await store.nodes.listLive()).to.have.length(1);
  });
});

describeNodes("the lease of a node", (open) => {
  /** Lets the database answer until the condition holds. */
  const waitUntil = async (condition: () => boolean, store: Store): Promise<void> => {
    for (let tries = 0; !condition() && tries < 1_000; tries++) await writeNothing(store);
    expect(condition()).to.equal(true);
  };

  it("does not count as held 2 s after the last renewal, but does again after the next one", async () => {
    const clock = new TestClock();
    const store = await open({ clock });
    clock.advance(1_999);
    expect(store.node!.isHeld()).to.equal(true);
    clock.advance(1);
    expect(store.node!.isHeld()).to.equal(false);
    await waitUntil(() => store.node!.isHeld(), store);
  });

  it("is lost at the next renewal when it has run out in the database", async () => {
    const clock = new TestClock();
    let lost = 0;
    const [first, second] = [await open({ clock, onLost: () => (lost += 1) }), await open()];
    await second.nodes.renew(first.node!.nodeId, EXPIRED_LEASE_MS);
    clock.advance(1_000);
    await waitUntil(() => lost > 0, second);
    expect(first.node!.isHeld()).to.equal(false);
    expect(lost).to.equal(1);
  });

  it("is replaced by one with a new id, under which the node claims what it has lost", async () => {
    const clock = new TestClock();
    let lost = 0;
    const [first, second] = [await open({ clock, onLost: () => (lost += 1) }), await open()];
    const formerId = first.node!.nodeId;
    const { sessionId } = await addSession(first);
    await second.nodes.renew(formerId, EXPIRED_LEASE_MS);
    clock.advance(1_000);
    await waitUntil(() => lost > 0, second);
    expect(await getRejection(writeNothing(first))).to.include({ code: "SHUTTING_DOWN" });
    clock.advance(250);
    await waitUntil(() => first.node!.isHeld(), second);
    const { nodeId } = first.node!;
    expect(nodeId).to.not.equal(formerId);
    const [claimed] = await first.sessions.claimAbandoned(10);
    expect(claimed).to.include({ sessionId, owner: nodeId });
    expect(lost).to.equal(1);
  });

  it("keeps an exclusive node at work without a database, until another one has registered", async () => {
    const clock = new TestClock();
    // The lease is not renewed.
    clock.after = () => () => undefined;
    let lost = 0;
    const first = await open({ clock, isExclusive: true, onLost: () => (lost += 1) });
    await first.nodes.renew(first.node!.nodeId, EXPIRED_LEASE_MS);
    clock.advance(60_000);
    expect(first.node!.isHeld()).to.equal(true);
    await writeNothing(first);
    const second = await open();
    await writeNothing(first).catch(() => undefined);
    expect(lost).to.equal(1);
    await writeNothing(second);
  });

  it("keeps out a backend whose database is in use, as soon as the other one renews", async () => {
    const clock = new TestClock();
    const first = await open({ isExclusive: true });
    let isDone = false;
    const second = getRejection(open({ clock })).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await first.nodes.renew(first.node!.nodeId, TEST_LEASE_MS);
      clock.advance(250);
      // Without pauses the registration would restart repeatedly.
      for (let pause = 0; pause < 20; pause++) await writeNothing(first);
    }
    expect((await second).message).to.match(/works on this database, and that one has no ARCADE_NATS_URL/);
  });
});

describe("a node's renewals while the database is unavailable", () => {
  it("are logged when the first one fails, and when one succeeds again", async () => {
    const clock = new TestClock();
    const logged: string[] = [];
    const keep = (_: object, message: string): void => void logged.push(message);
    let isAway = true;
    let renewals = 0;
    const control = async () => {
      renewals += 1;
      if (isAway) throw new Error("connect ECONNREFUSED");
      return true;
    };
    const log = { debug() {}, info: keep, warn: keep, error: keep };
    new NodeLease({ control } as unknown as Connection, "one", 0, { clock, log, url: null, isExclusive: true });
    const renewUntil = async (count: number): Promise<void> => {
      while (renewals < count) {
        clock.advance(500);
        await Promise.resolve();
      }
    };
    await renewUntil(5);
    isAway = false;
    await renewUntil(7);
    expect(logged).to.deep.equal([
      "the lease of this node could not be renewed",
      "the lease of this node is renewed again",
    ]);
  });
});

describe("a node that is stopped while it registers again", () => {
  it("waits for its registration, and then removes it", async () => {
    const clock = new TestClock();
    const asked: PromiseWithResolvers<unknown>[] = [];
    const control = () => {
      asked.push(Promise.withResolvers());
      return asked.at(-1)!.promise;
    };
    let removals = 0;
    const write = async () => {
      removals += 1;
    };
    const connection = { control, write } as unknown as Connection;
    const lease = new NodeLease(connection, "one", 0, { clock, log: silentLog, url: null, isExclusive: false });
    const settle = () => new Promise(setImmediate);
    clock.advance(1_000);
    asked[0]!.resolve(false);
    await settle();
    clock.advance(250);
    asked[1]!.reject(new Error("connect ECONNREFUSED"));
    await settle();
    clock.advance(250);
    const released = lease.release();
    await settle();
    expect(asked, "tried again").to.have.length(3);
    expect(removals).to.equal(0);
    asked[2]!.resolve({ registered: true });
    await released;
    expect(removals).to.equal(1);
    expect(lease.nodeId).to.not.equal("one");
  });
});
