import { expect } from "chai";
import fc from "fast-check";
import type { Address, Hex } from "viem";
import { BATCH_ROWS } from "../../../../backend/adapters/store/batches.ts";
import type { ChainEventRow } from "../../../../backend/ports/store/chain.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
import {
  ALICE,
  appendEvents,
  BASE_TIME_MS,
  BOB,
  createBlockHash,
  createChainEvent,
  createId,
  createPayoutRow,
  createSessionHasher,
} from "../rows.ts";
import { describeStore, withStore } from "../suite.ts";

const snapshot = (block: number, slug: string, score: bigint, change: Partial<ChainEventRow> = {}): ChainEventRow =>
  createChainEvent("ScoreSnapshot", {
    block,
    slug,
    score,
    scorebank: score,
    gameSessionHash: createSessionHasher(createId())(1n),
    sequence: 1n,
    ...change,
  });
const payout = (block: number, score: bigint, change: Partial<ChainEventRow> = {}): ChainEventRow =>
  createChainEvent("Payout", { block, score, amount: score * 10n ** 18n, ...change });

const CHAIN_TIME = BASE_TIME_MS / 1000;
const FIRST_PAGE = { page: 1, limit: 25 };

describeStore("scorebank and payout history", (store) => {
  const getBank = (wallet = ALICE) => store.chain.getScorebank(wallet);
  const listPayouts = (slug: string | null = null, page = FIRST_PAGE) => store.chain.listPayouts(ALICE, slug, page);
  const listShares = async (slug: string | null = null) => (await listPayouts(slug)).items.map(({ byGame }) => byGame);

  it("are empty for a new wallet", async () => {
    expect(await getBank()).to.deep.equal({ score: 0n, snapshots: 0, lastSnapshotAt: null, byGame: {} });
    expect(await listPayouts()).to.deep.equal({ items: [], total: 0 });
  });

  it("grow by snapshots and shrink by a payout, game by game, exactly beyond 2^53", async () => {
    const big = 2n ** 53n;
    await appendEvents(
      store,
      snapshot(10, "shellrunners", big),
      snapshot(11, "flappybots", 20n, { scorebank: big + 20n }),
      snapshot(11, "shellrunners", 3n, { scorebank: big + 23n, logIndex: 1 }),
      snapshot(11, "shellrunners", 9_999n, { wallet: BOB, logIndex: 2 }),
    );
    expect(await getBank()).to.deep.equal({
      score: big + 23n,
      snapshots: 3,
      lastSnapshotAt: CHAIN_TIME + 11,
      byGame: { shellrunners: big + 3n, flappybots: 20n },
    });

    // One block may hold a snapshot, the payout after it and the next snapshot.
    const paid = payout(12, big + 24n, { logIndex: 5 });
    await appendEvents(
      store,
      snapshot(12, "flappybots", 1n, { scorebank: big + 24n, logIndex: 4 }),
      paid,
      snapshot(12, "flappybots", 7n, { logIndex: 6 }),
    );
    const left = { score: 7n, snapshots: 1, lastSnapshotAt: CHAIN_TIME + 12, byGame: { flappybots: 7n } };
    expect(await getBank()).to.deep.equal(left);
    const { txHash, block, blockTime: at, score, amount } = paid;
    const byGame = { shellrunners: big + 3n, flappybots: 21n };
    const item = { payoutId: null, txHash, block, at, score, amount, byGame };
    expect(await listPayouts()).to.deep.equal({ items: [item], total: 1 });
    expect((await getBank(BOB)).score).to.equal(9_999n);
  });

  it("keep the points that a partial payout left, and attribute the oldest points to it", async () => {
    await appendEvents(
      store,
      snapshot(10, "shellrunners", 100n),
      snapshot(11, "flappybots", 50n, { scorebank: 150n }),
      payout(12, 120n, { scorebank: 30n }),
      snapshot(13, "shellrunners", 5n, { scorebank: 35n }),
    );
    const byGame = { flappybots: 30n, shellrunners: 5n };
    expect(await getBank()).to.deep.include({ score: 35n, snapshots: 2, byGame });
    await appendEvents(store, payout(14, 35n, { scorebank: 0n }), snapshot(15, "flappybots", 1n));
    expect(await listShares()).to.deep.equal([byGame, { shellrunners: 100n, flappybots: 20n }]);
    expect(await listShares("shellrunners")).to.deep.equal([{ shellrunners: 5n }, { shellrunners: 100n }]);
    expect((await getBank()).byGame).to.deep.equal({ flappybots: 1n });
  });

  it("attribute a partial payout that pays more snapshots than one statement reads", async () => {
    const count = BATCH_ROWS + 20;
    const snapshots = Array.from({ length: count }, (_, n) =>
      snapshot(10 + n, n % 2 === 0 ? "shellrunners" : "flappybots", 2n, { scorebank: 2n * BigInt(n + 1) }),
    );
    // All but the last ten and half of the previous one.
    const paid = BigInt(2 * (count - 10) - 1);
    await appendEvents(store, ...snapshots, payout(10 + count, paid, { scorebank: 21n }));
    const byGame = { shellrunners: 10n, flappybots: 11n };
    expect(await getBank()).to.deep.include({ score: 21n, snapshots: 11, byGame });
    await appendEvents(store, payout(11 + count, 20n, { scorebank: 1n }));
    expect(await getBank()).to.deep.include({ snapshots: 1, byGame: { flappybots: 1n } });
    expect(await listShares()).to.deep.equal([
      { shellrunners: 10n, flappybots: 10n },
      { shellrunners: BigInt(count) - 10n, flappybots: BigInt(count) - 11n },
    ]);
  });

  it("count a snapshot without points after the last paid one as unpaid", async () => {
    await appendEvents(
      store,
      snapshot(10, "shellrunners", 5n),
      snapshot(11, "shellrunners", 0n, { scorebank: 5n }),
      snapshot(12, "flappybots", 4n, { scorebank: 9n }),
      payout(13, 5n, { scorebank: 4n }),
    );
    expect(await getBank()).to.deep.include({ snapshots: 2, byGame: { flappybots: 4n } });
  });

  it("find the stored payout by its transaction", async () => {
    const paid = payout(11, 1n);
    const row = createPayoutRow({ txHash: paid.txHash });
    await store.payouts.open(row);
    await appendEvents(store, snapshot(10, "shellrunners", 1n), paid);
    expect((await listPayouts()).items[0]?.payoutId).to.equal(row.payoutId);
  });

  it("show a game's share across payouts, page by page", async () => {
    const events: ChainEventRow[] = [];
    for (let round = 1; round <= 6; round++) {
      events.push(snapshot(round * 10, round % 2 === 0 ? "flappybots" : "shellrunners", BigInt(round)));
      if (round % 3 === 0) events.push(snapshot(round * 10 + 1, "shellrunners", 1_000n));
      events.push(payout(round * 10 + 2, BigInt(round) + (round % 3 === 0 ? 1_000n : 0n)));
    }
    await appendEvents(store, ...events);
    const all = await listPayouts(null, { page: 1, limit: 100 });
    expect(all.items.map(({ score }) => score)).to.deep.equal([1_006n, 5n, 4n, 1_003n, 2n, 1n]);
    expect(await listPayouts(null, { page: 2, limit: 2 })).to.deep.equal({ items: all.items.slice(2, 4), total: 6 });

    const shells = await listPayouts("shellrunners", { page: 1, limit: 3 });
    expect(shells.items.map(({ score, byGame }) => [score, byGame])).to.deep.equal([
      [1_006n, { shellrunners: 1_000n }],
      [5n, { shellrunners: 5n }],
      [1_003n, { shellrunners: 1_003n }],
    ]);
    expect(shells.total).to.equal(4);
    const rest = await listPayouts("shellrunners", { page: 2, limit: 3 });
    expect(rest.items.map(({ score }) => score)).to.deep.equal([1n]);
    expect((await listPayouts("unheard")).total).to.equal(0);
  });
});

interface Step {
  readonly kind: "shellrunners" | "flappybots" | "payout" | "Registered";
  readonly wallet: Address;
  readonly score: bigint;
}
interface Block {
  readonly number: number;
  readonly hash: Hex;
  readonly events: readonly ChainEventRow[];
}
const step = fc.record<Step>({
  kind: fc.constantFrom("shellrunners", "flappybots", "payout", "Registered"),
  wallet: fc.constantFrom(ALICE, BOB),
  score: fc.bigInt({ min: 1n, max: 10n ** 20n }),
});
const forks = fc.array(
  fc.record({
    first: fc.nat(8),
    blocks: fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 3 },
);

/** The block on top of `below`, with scorebanks as the contract would emit them. */
function createBlock(below: readonly Block[], steps: readonly Step[], fork: string): Block {
  const [number, hash] = [below.length, createBlockHash(below.length, fork)];
  const events: ChainEventRow[] = [];
  for (const [logIndex, { kind, wallet, score }] of steps.entries()) {
    const at = { block: number, blockHash: hash, logIndex, wallet };
    const before = [...below.flatMap((block) => block.events), ...events];
    const bank = before.findLast((event) => event.wallet === wallet && event.scorebank !== null)?.scorebank ?? 0n;
    const paid = score < bank ? score : bank;
    if (kind === "Registered") events.push(createChainEvent(kind, { ...at, tokenId: score }));
    else if (kind === "payout") events.push(payout(number, paid, { ...at, scorebank: bank - paid }));
    else events.push(snapshot(number, kind, score, { ...at, scorebank: bank + score }));
  }
  return { number, hash, events };
}

const appendBlocks = ({ chain }: Store, blocks: readonly Block[]) =>
  chain.append(
    blocks.map(({ number, hash }) => ({ number, hash })),
    blocks.flatMap(({ events }) => events),
  );

const sum = (values: Iterable<bigint>): bigint => [...values].reduce((total, value) => total + value, 0n);

/** Recounts all events at each call. */
function countTotals(blocks: readonly Block[], block: number, sinceSeconds: number) {
  const seen = blocks.slice(0, block + 1).flatMap(({ events }) => events);
  const payouts = seen.filter(({ name }) => name === "Payout");
  const recent = payouts.filter(({ blockTime }) => blockTime >= sinceSeconds);
  return {
    snapshots: seen.filter(({ name }) => name === "ScoreSnapshot").length,
    payouts: payouts.length,
    paid: sum(payouts.map(({ amount }) => amount!)),
    paidSince: sum(recent.map(({ amount }) => amount!)),
  };
}

const readViews = async ({ chain }: Store, wallet: Address) => ({
  bank: await chain.getScorebank(wallet),
  all: await chain.listPayouts(wallet, null, FIRST_PAGE),
  shells: await chain.listPayouts(wallet, "shellrunners", FIRST_PAGE),
  cursor: await chain.getCursor(),
});

describe("a store that saw reorganizations", () => {
  it("equals a store that saw only the final chain, and a recount of its events", async () => {
    const property = fc.asyncProperty(forks, (all) =>
      withStore((store) =>
        withStore(async (fresh) => {
          let blocks: Block[] = [];
          for (const [fork, { first, blocks: added }] of all.entries()) {
            blocks = blocks.slice(0, first);
            await store.chain.rewind(blocks.length - 1);
            const kept = blocks.length;
            for (const steps of added) blocks.push(createBlock(blocks, steps, `-${fork}`));
            await appendBlocks(store, blocks.slice(kept));
          }
          await store.chain.append([], blocks.at(-1)?.events ?? []);
          await appendBlocks(fresh, blocks);
          for (const wallet of [ALICE, BOB]) {
            const view = await readViews(store, wallet);
            expect(view).to.deep.equal(await readViews(fresh, wallet));
            expect(sum(Object.values(view.bank.byGame)), "of the bank's games").to.equal(view.bank.score);
            for (const { score, byGame } of view.all.items) expect(sum(Object.values(byGame))).to.equal(score);
          }
          for (const block of [0, 2, 5, 30])
            for (const sinceSeconds of [0, 2, 4, 1000].map((seconds) => CHAIN_TIME + seconds))
              expect(await store.chain.getTotals({ block, sinceSeconds })).to.deep.equal(
                countTotals(blocks, block, sinceSeconds),
              );
        }),
      ),
    );
    await fc.assert(property, { numRuns: 60 });
  });
});
