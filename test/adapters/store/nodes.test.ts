import { expect } from "chai";
import type { NodeStore } from "../../../backend/ports/store/nodes.ts";
import { describeStore, EXPIRED_LEASE_MS, TEST_LEASE_MS as LEASE_MS, runConcurrently } from "./suite.ts";

const getIds = async (rows: ReturnType<NodeStore["listLive"]>) => (await rows).map(({ nodeId }) => nodeId);
const createNode = (nodeId: string, isExclusive = false) => ({ nodeId, url: `http://${nodeId}.example`, isExclusive });

describeStore("the nodes of a database", (getFixture) => {
  it("are listed to each other while their lease is valid", async () => {
    const [one, other] = getFixture().pair;
    expect(await one.nodes.register(createNode("one"), LEASE_MS)).to.deep.equal({ registered: true });
    await other.nodes.register({ nodeId: "other", url: null, isExclusive: false }, LEASE_MS);
    const rows = await one.nodes.listLive();
    expect(rows.map(({ nodeId, url, isExclusive }) => [nodeId, url, isExclusive])).to.deep.equal([
      ["one", "http://one.example", 0],
      ["other", null, 0],
    ]);
    for (const { startedAtMs, leaseUntilMs } of rows) expect(leaseUntilMs).to.be.greaterThan(startedAtMs);
    expect(await other.nodes.listExpired()).to.deep.equal([]);
  });

  it("renew a lease that has not run out, and never one that has", async () => {
    const { nodes } = getFixture().store;
    await nodes.register(createNode("one"), LEASE_MS);
    const [before] = await nodes.listLive();
    expect(await nodes.renew("one", 2 * LEASE_MS)).to.equal(true);
    const [after] = await nodes.listLive();
    expect(after!.leaseUntilMs - before!.leaseUntilMs).to.be.at.least(LEASE_MS);

    expect(await nodes.renew("one", EXPIRED_LEASE_MS)).to.equal(true);
    expect(await getIds(nodes.listExpired())).to.deep.equal(["one"]);
    expect(await nodes.renew("one", LEASE_MS)).to.equal(false);
    expect(await getIds(nodes.listLive())).to.deep.equal([]);
  });

  it("do not renew the lease of a node that was released, or never registered", async () => {
    const { nodes } = getFixture().store;
    await nodes.register(createNode("one"), LEASE_MS);
    await nodes.release("one");
    for (const nodeId of ["one", "unknown"]) expect(await nodes.renew(nodeId, LEASE_MS), nodeId).to.equal(false);
    expect(await nodes.listLive()).to.deep.equal([]);
    expect(await nodes.listExpired()).to.deep.equal([]);
  });

  it("let no other node beside an exclusive one, in either order", async () => {
    const [one, other] = getFixture().pair;
    await one.nodes.register(createNode("one", true), LEASE_MS);
    for (const isExclusive of [true, false]) {
      const registration = await other.nodes.register(createNode("other", isExclusive), LEASE_MS);
      expect(registration).to.have.nested.property("other.nodeId", "one");
    }
    await one.nodes.release("one");
    await one.nodes.register(createNode("shared"), LEASE_MS);
    const registration = await other.nodes.register(createNode("other", true), LEASE_MS);
    expect(registration).to.have.nested.property("other.nodeId", "shared");
    await one.nodes.renew("shared", EXPIRED_LEASE_MS);
    expect(await other.nodes.register(createNode("other", true), LEASE_MS)).to.deep.equal({ registered: true });
    expect(await getIds(other.nodes.listLive())).to.deep.equal(["other"]);
  });

  it("register one of many exclusive nodes that start at once", async () => {
    const fixture = getFixture();
    const registrations = await runConcurrently(fixture, (store, index) =>
      store.nodes.register(createNode(`node-${index}`, true), LEASE_MS),
    );
    expect(registrations.filter(({ registered }) => registered)).to.have.length(1);
    expect(await fixture.store.nodes.listLive()).to.have.length(1);
  });
});
