import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import type { TransactionStore } from "../../../backend/ports/store/chain.ts";
import { waitFor } from "./chain-fixture.ts";
import { useTransactionManager, WAIT_MS } from "./manager-fixture.ts";

/** Several polls of the fixture's managers. */
const SLOW_READ_MS = 100;

describe("operator transactions of several backends", function () {
  this.timeout(30_000);
  const env = useTransactionManager();

  before(() => env.chain.actions.register(env.chain.players[0]!));

  /** The store, whose first answer about waiting transactions arrives late. */
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

  it("the one that reconciles goes on after a poll that took longer than the pause between polls", async () => {
    const reconciling = env.start({ store: createSlowStore(), singleton: { isHeld: () => true } });
    await reconciling.poll();
    const other = env.start({ singleton: { isHeld: () => false } });
    await other.submit(env.transfer("elsewhere"));
    await waitFor(() => isIncluded("elsewhere"));
  });

  it("a transaction that is submitted during a slow poll is found by the next one", async () => {
    const writer = env.start({ store: createSlowStore() });
    const slowPoll = writer.poll();
    await writer.submit(env.transfer("meanwhile"));
    await slowPoll;
    await waitFor(() => isIncluded("meanwhile"));
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
});
