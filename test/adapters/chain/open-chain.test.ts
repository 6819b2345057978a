import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { type Chain, openChain } from "../../../backend/adapters/chain/open-chain.ts";
import { RequestBudget } from "../../../backend/adapters/chain/request-budget.ts";
import { systemClock } from "../../../backend/adapters/system/clock.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import type { Clock } from "../../../backend/ports/system.ts";
import { createCall } from "../../../domain/typed-data/calls.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { TestClock } from "../../helpers/test-clock.ts";
import { silentLog, testKeys, useChain, waitFor } from "./chain-fixture.ts";

const BUDGET_MS = 1_000;
/** The deadlines of a request and of one poll of the indexer, without a budget. */
const RPC_DEADLINE_MS = 5_000;

describe("opening the chain", () => {
  const fixture = useChain();
  let server: Server;
  let store: Store;
  let clock: TestClock;
  let budget: RequestBudget;
  let chain: Chain | null;

  beforeEach(async () => {
    // A node that accepts connections and never answers.
    server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    store = await openMemoryStore();
    clock = new TestClock();
    chain = null;
  });
  afterEach(async () => {
    server.close();
    server.closeAllConnections();
    // Calls that have begun are repeated once, then fail.
    const closing = chain?.close();
    let isClosed = false;
    void closing?.finally(() => {
      isClosed = true;
    });
    await waitFor(() => {
      clock.advance(RPC_DEADLINE_MS);
      return isClosed || chain === null;
    });
    await store.close();
  });

  const getSilentUrl = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function open({
    rpcUrl = getSilentUrl(),
    moreRpcUrls = [] as readonly string[],
    usedClock = clock as Clock,
    deployment = {} as Partial<Deployment>,
  } = {}): Promise<Chain> {
    budget = new RequestBudget(usedClock, BUDGET_MS, false);
    const singleton = { isHeld: () => true };
    chain = await openChain({
      rpcUrl,
      moreRpcUrls,
      deployment: { ...fixture.deployment, ...deployment },
      store: { ...store, node: null, singletons: { indexer: singleton, transactions: singleton } as never },
      clock: usedClock,
      operatorKey: testKeys.operator,
      confirmations: 2,
      pollMs: 20,
      feeCap: null,
      callsPerDay: 10,
      budget,
      log: silentLog,
    });
    return chain;
  }

  /** What a promise has settled to so far; null while it waits. */
  function watch(promise: Promise<unknown>): { result: unknown } {
    const watched: { result: unknown } = { result: null };
    promise.then(
      (value) => {
        watched.result = { value };
      },
      ({ code, message }) => {
        watched.result = { code, message };
      },
    );
    return watched;
  }
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns += 1) await turn();
  };
  /** Expects a promise to settle at this time of the test's clock, and not a millisecond earlier. */
  async function expectSettledAfter(ms: number, start: () => Promise<unknown>): Promise<unknown> {
    const watched = watch(start());
    await settle();
    clock.advance(ms - 1);
    await settle();
    expect(watched.result, `before ${ms} ms`).to.equal(null);
    clock.advance(1);
    await settle();
    expect(watched.result, `after ${ms} ms`).to.not.equal(null);
    return watched.result;
  }
  const inRequest = <T>(work: () => Promise<T>) => budget.run("a", work);

  it("does not wait for the node, and reports at once that it has not answered yet", async () => {
    const { reader, facts, index, listNodes } = await open();
    const reads = watch(reader.openFreshReads());
    const readiness = watch(facts.getReadiness(fixture.players[0]!.address));
    await settle();
    const message = "The chain's node has not responded yet; try again in a few seconds.";
    expect(reads.result).to.deep.equal({ code: "CHAIN_UNAVAILABLE", message });
    expect(readiness.result).to.deep.equal({ code: "CHAIN_UNAVAILABLE", message });
    expect([index.getHead(), index.getStoredHead(), index.getProblem()]).to.deep.equal([null, null, null]);
    expect(index.getRevision(), "a chain that does not announce its changes").to.equal("0 0 ");
    expect(listNodes()).to.deep.equal([]);
  });

  it("compares the nodes as soon as there are two", async () => {
    const { listNodes } = await open({ moreRpcUrls: [getSilentUrl()] });
    expect(listNodes()).to.have.length(2);
  });

  it("waits for the head half of what is left of a request's time, or as long as the caller says", async () => {
    const { index } = await open();
    const half = BUDGET_MS / 2;
    const expected = { value: false };
    expect(await expectSettledAfter(half, () => inRequest(() => index.waitForHead()))).to.deep.equal(expected);
    expect(await expectSettledAfter(half, () => inRequest(() => index.waitForHead(BUDGET_MS)))).to.deep.equal(expected);
    expect(await expectSettledAfter(100, () => inRequest(() => index.waitForHead(100)))).to.deep.equal(expected);
  });

  for (const chainId of [31_337, 137])
    it(`waits for a block half of what is left of a request's time on chain ${chainId}`, async () => {
      const { index } = await open({ deployment: { chainId } });
      const wait = () => inRequest(() => index.waitForBlock(1));
      expect(await expectSettledAfter(BUDGET_MS / 2, wait)).to.deep.equal({ value: false });
    });

  it("ends a submission with the request's time, and without a request with the node's deadline", async () => {
    const { writer } = await open();
    const { chainId, rewards } = fixture.deployment;
    const { to, data } = createCall(chainId, rewards, "payout", [fixture.players[0]!.address]);
    const submit = (key: string) => () => writer.submit({ kind: "payout", key, to, data });
    const inTime = await expectSettledAfter(BUDGET_MS, () => inRequest(submit("in a request")));
    expect(inTime).to.deep.include({ code: "CHAIN_UNAVAILABLE" });
    expect((inTime as Error).message).to.include("this request has waited for it long enough");
    expect(await expectSettledAfter(RPC_DEADLINE_MS, submit("alone"))).to.deep.include({ code: "CHAIN_UNAVAILABLE" });
  });

  it("reads the contracts' state and finds blocks as soon as the node answers", async () => {
    const { facts, index, reader } = await open({ rpcUrl: fixture.rpcUrl, usedClock: systemClock });
    expect(await index.waitForHead(RPC_DEADLINE_MS)).to.equal(true);
    const head = Number(await fixture.client.getBlockNumber());
    expect(index.getStoredHead()?.number).to.equal(head);
    expect((await facts.getReadiness(fixture.players[0]!.address)).asOf.number).to.equal(head);
    await reader.openFreshReads();
    expect(await index.waitForBlock(head)).to.equal(true);
    expect(await index.waitForBlock(head + 1), "the local chain has no later block").to.equal(true);
  });
});
