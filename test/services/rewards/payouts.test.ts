import { expect } from "chai";
import type { Readiness } from "../../../backend/ports/chain.ts";
import type { ChainWriter, ManagedTransaction } from "../../../backend/ports/transactions.ts";
import { Payouts } from "../../../backend/services/rewards/payouts.ts";
import { openMemoryStore } from "../../../testing/images.ts";
import { silentLog } from "../../adapters/chain/chain-fixture.ts";
import { ALICE, createPayoutRow, createTransactionRow } from "../../adapters/store/rows.ts";
import { useEach } from "../../helpers/fixture.ts";
import { TestClock } from "../../helpers/test-clock.ts";

const DEPLOYMENT = { chainId: 31337, rewards: ALICE };
const READY = {
  ready: true,
  reasons: [],
  scorebank: 9n,
  points: 9n,
  amount: 9n,
  nextPayoutAt: 0,
} as unknown as Readiness;

const TOKEN = { address: ALICE, name: "Token", symbol: "TKN", decimals: 18 };
/** A payout of a part of the scorebank, in the cooldown. */
const FACTS = {
  getReadiness: async () => ({
    ready: true,
    reasons: ["COOLDOWN_ACTIVE"],
    scorebank: 9n,
    points: 4n,
    amount: 40n,
    nextPayoutAt: 100,
    caps: { dailyRemaining: 50n, weeklyRemaining: 60n, float: 70n },
    asOf: { number: 7, hash: "0x07", timestamp: 90 },
  }),
  getTokenInfo: async () => TOKEN,
  getPresentTime: () => 95,
};

/** The operator's transactions, set by the test. */
class TestWriter implements ChainWriter {
  readonly operator = ALICE;
  readonly submittedKeys: string[] = [];
  readonly onChain = new Map<string, ManagedTransaction>();

  set(id: string, key: string, status: ManagedTransaction["status"]): ManagedTransaction {
    const block = status === "included" ? 7 : null;
    const transaction = { id, kind: "payout", key, status, txHash: null, block, isFinal: false } as const;
    this.onChain.set(id, transaction);
    return transaction;
  }
  async submit({ key }: Parameters<ChainWriter["submit"]>[0]) {
    const existing = [...this.onChain.values()].find((transaction) => transaction.key === key);
    if (existing !== undefined) return existing;
    this.submittedKeys.push(key);
    return this.set(`transaction of ${key}`, key, "included");
  }
  waitForTransaction = async (id: string) => this.onChain.get(id)!;
  find = async (id: string) => this.onChain.get(id) ?? null;
  refresh = async (id: string) => this.onChain.get(id)!;
  onPolled = () => () => undefined;
  getBalance = async () => 0n;
  counts = () => ({ included: 0, failed: 0, refused: 0, bumped: 0, reorganized: 0, aboveFeeCap: 0, againstPolicy: 0 });
  order = async () => "unknown" as const;
}

describe("payout requests", () => {
  let writer: TestWriter;
  let payouts: Payouts;
  let storedBlock: number;
  const store = useEach(openMemoryStore);
  beforeEach(async () => {
    writer = new TestWriter();
    storedBlock = 7;
    payouts = new Payouts({
      store: store.payouts,
      chainStore: store.chain,
      chain: { deployment: DEPLOYMENT, getReadiness: async () => READY, getReceipt: async () => null } as never,
      facts: FACTS as never,
      index: {
        getHead: () => null,
        getProblem: () => null,
        getFinality: () => ({ safe: -1, final: -1 }),
        waitForHead: async () => true,
        getStoredHead: () => ({ number: storedBlock, hash: "0x07", timestamp: 90 }),
        waitForBlock: async () => true,
        getRevision: () => "",
        waitForChanges: async () => undefined,
        waitForNextPoll: async () => undefined,
        onIndexed: () => undefined,
      },
      writer,
      clock: new TestClock(),
      log: silentLog,
    });
  });

  const addOpenPayout = async (status: ManagedTransaction["status"]) => {
    const { id } = createTransactionRow(1);
    const row = createPayoutRow({ status: "sent", transactionId: id });
    await store.payouts.open(row);
    writer.set(id, row.payoutId, status);
    return { id, payoutId: row.payoutId };
  };

  it("pay again if the earlier payout was included without a client's request", async () => {
    const earlier = await addOpenPayout("included");
    const paid = await payouts.relay(ALICE, null);
    expect(paid.payoutId).to.not.equal(earlier.payoutId);
    expect(paid.status).to.equal("included");
    expect((await store.payouts.find(earlier.payoutId))?.status).to.equal("included");
    expect(writer.submittedKeys).to.deep.equal([paid.payoutId]);
  });

  it("know what is paid now and what stays, and that an open payout comes first", async () => {
    expect(await payouts.getReadiness(ALICE)).to.deep.include({
      ready: true,
      reasons: ["COOLDOWN_ACTIVE"],
      scorebank: 9,
      points: 4,
      remainingPoints: 5,
      amount: "40",
      nextEligibleAt: "1970-01-01T00:01:40.000Z",
      eligibleInSeconds: 5,
    });
    await addOpenPayout("sent");
    expect(await payouts.getReadiness(ALICE)).to.deep.include({
      ready: false,
      reasons: ["COOLDOWN_ACTIVE", "PAYOUT_PENDING"],
    });
  });

  it("show a payout as included once this server has its block", async () => {
    const { id, payoutId } = await addOpenPayout("included");
    await store.payouts.advance(payoutId, "sent", { status: "included" });
    expect(writer.onChain.get(id)).to.include({ block: 7 });
    for (const [block, status] of [
      [6, "sent"],
      [7, "included"],
      [8, "included"],
    ] as const) {
      storedBlock = block;
      expect((await payouts.getStatus(ALICE, payoutId)).status).to.equal(status);
    }
  });

  it("join the payout that is open on chain, without a second transaction", async () => {
    const open = await addOpenPayout("sent");
    expect((await payouts.relay(ALICE, null)).payoutId).to.equal(open.payoutId);
    expect(writer.submittedKeys).to.deep.equal([]);
  });

  it("join an included payout that a reorganization has undone, without a second transaction", async () => {
    const { id, payoutId } = await addOpenPayout("included");
    await store.payouts.advance(payoutId, "sent", { status: "included" });
    writer.set(id, payoutId, "sent");
    const joined = await payouts.relay(ALICE, null);
    expect(joined).to.include({ payoutId, status: "sent" });
    expect(writer.submittedKeys).to.deep.equal([]);
  });

  it("share one payout while they run at the same time", async () => {
    const paid = await Promise.all(Array.from({ length: 50 }, () => payouts.relay(ALICE, null)));
    expect(new Set(paid.map(({ payoutId }) => payoutId)).size).to.equal(1);
    expect(writer.submittedKeys).to.have.length(1);
  });
});
