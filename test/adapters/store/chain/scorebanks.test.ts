import { expect } from "chai";
import fc from "fast-check";
import type { Address } from "viem";
import { BATCH_ROWS } from "../../../../backend/adapters/store/batches.ts";
import type { ChainEventRow } from "../../../../backend/ports/store/chain.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
import { openMemoryStore } from "../../../helpers/template.ts";
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
import { describeStore } from "../suite.ts";

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

const FIRST_PAGE = { page: 1, limit: 25 };
const readViews = async ({ chain }: Store, wallet: Address) => ({
  bank: await chain.getScorebank(wallet),
  all: await chain.listPayouts(wallet, null, FIRST_PAGE),
  shells: await chain.listPayouts(wallet, "shellrunners", FIRST_PAGE),
  cursor: await chain.getCursor(),
});

describeStore("scorebank and payout history", (store) => {
  it("are empty for a new wallet", async () => {
    const { chain } = store;
    expect(await chain.getScorebank(ALICE)).to.deep.equal({
      score: 0n,
      snapshots: 0,
      lastSnapshotAt: null,
      byGame: {},
    });
    expect(await chain.listPayouts(ALICE, null, FIRST_PAGE)).to.deep.equal({ items: [], total: 0 });
  });

  it("grow by snapshots and shrink by a payout, game by game", async () => {
    await appendEvents(
      store,
      snapshot(10, "shellrunners", 100n),
      snapshot(11, "flappybots", 20n, { scorebank: 120n }),
      snapshot(11, "shellrunners", 3n, { scorebank: 123n, logIndex: 1 }),
      snapshot(11, "shellrunners", 9_999n, { wallet: BOB, logIndex: 2 }),
    );
    expect(await store.chain.getScorebank(ALICE)).to.deep.equal({
      score: 123n,
      snapshots: 3,
      lastSnapshotAt: BASE_TIME_MS / 1000 + 11,
      byGame: { shellrunners: 103n, flappybots: 20n },
    });

    // One block may hold a snapshot, the payout after it and the next snapshot.
    const paid = payout(12, 124n, { logIndex: 5 });
    await appendEvents(
      store,
      snapshot(12, "flappybots", 1n, { scorebank: 124n, logIndex: 4 }),
      paid,
      snapshot(12, "flappybots", 7n, { logIndex: 6 }),
    );
    expect(await store.chain.getScorebank(ALICE)).to.deep.equal({
      score: 7n,
      snapshots: 1,
      lastSnapshotAt: BASE_TIME_MS / 1000 + 12,
      byGame: { flappybots: 7n },
    });
    expect(await store.chain.listPayouts(ALICE, null, FIRST_PAGE)).to.deep.equal({
      items: [
        {
          payoutId: null,
          txHash: paid.txHash,
          block: 12,
          at: BASE_TIME_MS / 1000 + 12,
          score: 124n,
          amount: 124n * 10n ** 18n,
          byGame: { shellrunners: 103n, flappybots: 21n },
        },
      ],
      total: 1,
    });
    expect((await store.chain.getScorebank(BOB)).score).to.equal(9_999n);
  });

  it("keep the points that a portion left, and attribute the oldest points to the portion", async () => {
    await appendEvents(
      store,
      snapshot(10, "shellrunners", 100n),
      snapshot(11, "flappybots", 50n, { scorebank: 150n }),
      payout(12, 120n, { scorebank: 30n }),
      snapshot(13, "shellrunners", 5n, { scorebank: 35n }),
    );
    expect(await store.chain.getScorebank(ALICE)).to.deep.include({
      score: 35n,
      snapshots: 2,
      byGame: { flappybots: 30n, shellrunners: 5n },
    });
    await appendEvents(store, payout(14, 35n, { scorebank: 0n }), snapshot(15, "flappybots", 1n));
    const { items } = await store.chain.listPayouts(ALICE, null, FIRST_PAGE);
    expect(items.map(({ byGame }) => byGame)).to.deep.equal([
      { flappybots: 30n, shellrunners: 5n },
      { shellrunners: 100n, flappybots: 20n },
    ]);
    const shells = await store.chain.listPayouts(ALICE, "shellrunners", FIRST_PAGE);
    expect(shells.items.map(({ byGame }) => byGame)).to.deep.equal([{ shellrunners: 5n }, { shellrunners: 100n }]);
    expect((await store.chain.getScorebank(ALICE)).byGame).to.deep.equal({ flappybots: 1n });
  });

  it("attribute a portion that pays more snapshots than one statement reads", async () => {
    const count = BATCH_ROWS + 20;
    const snapshots = Array.from({ length: count }, (_, n) =>
      snapshot(10 + n, n % 2 === 0 ? "shellrunners" : "flappybots", 2n, { scorebank: 2n * BigInt(n + 1) }),
    );
    // All but the last ten and half of the one before.
    const paid = BigInt(2 * (count - 10) - 1);
    await appendEvents(store, ...snapshots, payout(10 + count, paid, { scorebank: 21n }));
    expect(await store.chain.getScorebank(ALICE)).to.deep.include({
      score: 21n,
      snapshots: 11,
      byGame: { shellrunners: 10n, flappybots: 11n },
    });
    await appendEvents(store, payout(11 + count, 20n, { scorebank: 1n }));
    const last = { snapshots: 1, byGame: { flappybots: 1n } };
    expect(await store.chain.getScorebank(ALICE)).to.deep.include(last);
    const { items } = await store.chain.listPayouts(ALICE, null, FIRST_PAGE);
    expect(items.map(({ byGame }) => byGame)).to.deep.equal([
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
    expect(await store.chain.getScorebank(ALICE)).to.deep.include({ snapshots: 2, byGame: { flappybots: 4n } });
  });

  it("name the stored payout by its transaction", async () => {
    const paid = payout(11, 1n);
    const row = createPayoutRow({ txHash: paid.txHash });
    await store.payouts.open(row);
    await appendEvents(store, snapshot(10, "shellrunners", 1n), paid);
    expect((await store.chain.listPayouts(ALICE, null, FIRST_PAGE)).items[0]?.payoutId).to.equal(row.payoutId);
  });

  it("show a game's share across payouts, page by page", async () => {
    const events: ChainEventRow[] = [];
    for (let round = 1; round <= 6; round++) {
      events.push(snapshot(round * 10, round % 2 === 0 ? "flappybots" : "shellrunners", BigInt(round)));
      if (round % 3 === 0) events.push(snapshot(round * 10 + 1, "shellrunners", 1_000n));
      events.push(payout(round * 10 + 2, BigInt(round) + (round % 3 === 0 ? 1_000n : 0n)));
    }
    await appendEvents(store, ...events);
    const all = await store.chain.listPayouts(ALICE, null, { page: 1, limit: 100 });
    expect(all.items.map((it) => it.score)).to.deep.equal([1_006n, 5n, 4n, 1_003n, 2n, 1n]);
    const paged = await store.chain.listPayouts(ALICE, null, { page: 2, limit: 2 });
    expect(paged).to.deep.equal({ items: all.items.slice(2, 4), total: 6 });

    const shells = await store.chain.listPayouts(ALICE, "shellrunners", { page: 1, limit: 3 });
    expect(shells.items.map((it) => [it.score, it.byGame])).to.deep.equal([
      [1_006n, { shellrunners: 1_000n }],
      [5n, { shellrunners: 5n }],
      [1_003n, { shellrunners: 1_003n }],
    ]);
    expect(shells.total).to.equal(4);
    const rest = await store.chain.listPayouts(ALICE, "shellrunners", { page: 2, limit: 3 });
    expect(rest.items.map((it) => it.score)).to.deep.equal([1n]);
    expect((await store.chain.listPayouts(ALICE, "unheard", FIRST_PAGE)).total).to.equal(0);
  });

  it("are summed exactly beyond 2^53", async () => {
    const big = 2n ** 53n + 1n;
    await appendEvents(
      store,
      snapshot(10, "shellrunners", big),
      snapshot(11, "shellrunners", big, { scorebank: 2n * big }),
    );
    expect(await store.chain.getScorebank(ALICE)).to.deep.include({
      score: 2n * big,
      byGame: { shellrunners: 2n * big },
    });
  });
});

describe("a store that saw reorganizations", () => {
  const step = fc.record({
    kind: fc.constantFrom("shellrunners", "flappybots", "payout"),
    wallet: fc.constantFrom(ALICE, BOB),
    score: fc.bigInt({ min: 1n, max: 10n ** 20n }),
  });
  const blocksArbitrary = fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 8 });

  /** Events of a chain's blocks with scorebank values, as the contract would emit them. */
  function createEvents(
    blocks: readonly (readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[])[],
    fork: string,
  ) {
    const scorebanks = new Map<Address, bigint>();
    return blocks.flatMap((steps, block) =>
      steps.map(({ kind, wallet, score }, logIndex) => {
        const at = { block, logIndex, wallet, blockHash: createBlockHash(block, fork) };
        const scorebank = scorebanks.get(wallet) ?? 0n;
        const paid = score < scorebank ? score : scorebank;
        scorebanks.set(wallet, kind === "payout" ? scorebank - paid : scorebank + score);
        return kind === "payout"
          ? payout(block, paid, { ...at, scorebank: scorebank - paid })
          : snapshot(block, kind, score, { ...at, scorebank: scorebank + score });
      }),
    );
  }

  it("equals a store that saw only the final chain", async () => {
    await fc.assert(
      fc.asyncProperty(blocksArbitrary, blocksArbitrary, fc.nat(8), async (seen, final, ancestor) => {
        const common = Math.min(ancestor, seen.length, final.length);
        const finalBlocks = [...seen.slice(0, common), ...final.slice(common)];
        const events = createEvents(finalBlocks, "");
        const lost = createEvents(seen, "").map((event) =>
          event.block < common
            ? events.find((it) => it.block === event.block && it.logIndex === event.logIndex)!
            : { ...event, blockHash: createBlockHash(event.block, "'") },
        );
        const refs = finalBlocks.map((_, number) => ({ number, hash: createBlockHash(number) }));
        const lostRefs = seen.map((_, number) => ({
          number,
          hash: createBlockHash(number, number < common ? "" : "'"),
        }));

        const store = await openMemoryStore();
        const fresh = await openMemoryStore();
        try {
          await store.chain.append(lostRefs, lost);
          await store.chain.rewind(common - 1);
          await store.chain.append(
            refs.slice(common),
            events.filter((event) => event.block >= common),
          );
          await fresh.chain.append(refs, events);
          for (const wallet of [ALICE, BOB]) {
            const view = await readViews(store, wallet);
            expect(view).to.deep.equal(await readViews(fresh, wallet));
            const sum = Object.values(view.bank.byGame).reduce((a, b) => a + b, 0n);
            expect(sum, "the bank is the sum of its games").to.equal(view.bank.score);
            for (const { score, byGame } of view.all.items) {
              expect(Object.values(byGame).reduce((a, b) => a + b, 0n)).to.equal(score);
            }
          }
        } finally {
          await store.close();
          await fresh.close();
        }
      }),
      { numRuns: 60 },
    );
  }).timeout(120_000);
});
