import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import type { TransactionStore } from "../../../backend/ports/store/chain.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { waitFor } from "./chain-fixture.ts";
import { operator, useTransactionManager, WAIT_MS } from "./manager-fixture.ts";

/** Several polls of the fixture's managers. */
const SLOW_READ_MS = 100;

describe("operator transactions of several backends", () => {
  const env = useTransactionManager();

  before(() => env.chain.actions.register(env.chain.players[0]!));

  /** A store whose first answer about waiting transactions arrives late. */
  function createSlowStore(): TransactionStore {
    let isFirst = true;
    const store = env.store.transactions;
    return {
      ...store,
      summarizeUnsettled: async (from) => {
        const summary = await store.summarizeUnsettled(from);
        if (isFirst) await delay(SLOW_READ_MS);
        isFirst = false;
        return summary;
      },
    };
  }

  const isIncluded = async (key: string): Promise<boolean> => (await env.getRow(key)).status === "included";

  it("the one that reconciles continues after a poll that took longer than the pause between polls", async () => {
    const reconciling = env.start({ store: createSlowStore(), singleton: { isHeld: () => true } });
    await reconciling.poll();
    const other = env.start({ singleton: { isHeld: () => false } });
    await other.submit(env.transfer("elsewhere"));
    expect(await waitFor(() => isIncluded("elsewhere"))).to.equal(true);
  });

  it("one that may no longer reconcile stores nothing of what it has read before", async () => {
    let isHeld = true;
    let isPaused = true;
    const store = env.store.transactions;
    const paused = env.start({
      singleton: { isHeld: () => isHeld },
      store: {
        ...store,
        // The last answer before the chain is read.
        listUnsettled: async (from) => {
          const rows = await store.listUnsettled(from);
          isHeld = !isPaused;
          return rows;
        },
      },
    });
    await env.chain.client.setAutomine(false);
    await paused.submit(env.transfer("paused"));
    await env.chain.client.mine({ blocks: 1 });
    await paused.poll();
    expect(isHeld).to.equal(false);
    expect(await env.getRow("paused")).to.include({ block: null });
    isPaused = false;
    isHeld = true;
    expect(await waitFor(() => isIncluded("paused"))).to.equal(true);
  });

  it("a transaction that is submitted during a slow poll is found by the next one", async () => {
    const writer = env.start({ store: createSlowStore() });
    const slowPoll = writer.poll();
    await writer.submit(env.transfer("other"));
    await slowPoll;
    expect(await waitFor(() => isIncluded("other"))).to.equal(true);
  });

  it("a payout that another one sends between two steps of a submission is not rejected as paid", async () => {
    const request = await env.preparePayout(0);
    const store = env.store.transactions;
    const first = env.start();
    const second = env.start({
      store: {
        ...store,
        findByKeys: async (keys) => {
          const rows = await store.findByKeys(keys);
          if (rows.length === 0) await first.waitForTransaction((await first.submit(request)).id, WAIT_MS);
          return rows;
        },
      },
    });
    const submitted = await second.submit(request);
    expect(submitted).to.deep.include({ id: (await first.submit(request)).id, status: "included" });
  });

  it("one that does not reconcile does not report a block that a reorganization has removed", async () => {
    const reconciling = env.start({ pollMs: 600_000, singleton: { isHeld: () => true } });
    const other = env.start({ pollMs: 600_000, singleton: { isHeld: () => false } });
    const forkId = await env.chain.client.snapshot();
    const { id } = await reconciling.submit(env.transfer("reorganized"));
    await reconciling.waitForTransaction(id, WAIT_MS);
    expect((await other.refresh(id)).status).to.equal("included");
    await env.chain.client.setAutomine(false);
    await env.chain.client.revert({ id: forkId });
    await env.chain.client.mine({ blocks: 2 });
    const refused = await other.refresh(id).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(ArcadeError).with.property("code", "CHAIN_UNAVAILABLE");
    expect((await reconciling.refresh(id)).status).to.equal("sent");
    expect((await other.refresh(id)).status).to.equal("sent");
    await env.chain.client.setAutomine(true);
  });

  it("a lost call is signed again by one of two backends that both believe that they reconcile", async () => {
    await env.chain.client.setAutomine(false);
    const store = env.store.transactions;
    const before = env.start({ pollMs: 600_000 });
    const { id, txHash } = await before.submit(env.transfer("lost"));
    await env.stop(before);
    const { nonce } = await env.getRow("lost");
    await env.chain.client.dropTransaction({ hash: txHash! });
    await env.chain.client.sendTransaction({ account: operator, chain: null, to: operator.address, nonce });
    await env.chain.client.mine({ blocks: 1 });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let isWaiting = false;
    const first = env.start({
      store: {
        ...store,
        getLastNonce: async (from) => {
          isWaiting = true;
          await released;
          return await store.getLastNonce(from);
        },
      },
    });
    await waitFor(() => isWaiting);
    env.start();
    const getRow = async () => (await store.find(id))!;
    await waitFor(async () => (await getRow()).nonce > nonce && (await getRow()).status === "sent");
    const { raw } = await getRow();
    release();
    await first.poll();
    expect((await getRow()).raw, "the second one's").to.equal(raw);
    await env.chain.client.mine({ blocks: 1 });
    await waitFor(() => isIncluded("lost"));
    expect(await env.balance()).to.equal(1n);
  });
});
