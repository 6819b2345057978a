import { expect } from "chai";
import fc from "fast-check";
import { openStore } from "../../../backend/adapters/store/index.ts";
import type { Address, ChainEventRow, Store } from "../../../backend/ports.ts";
import { ALICE, BOB, blockHash, chainEvent, freshId, hashFor, mine, payoutRow, T0 } from "./rows.ts";
import { describeStore } from "./suite.ts";

const snapshot = (block: number, slug: string, score: bigint, change: Partial<ChainEventRow> = {}): ChainEventRow =>
  chainEvent("ScoreSnapshot", {
    block,
    slug,
    score,
    scorebank: score,
    gameSessionHash: hashFor(freshId())(1n),
    sequence: 1n,
    ...change,
  });
const payout = (block: number, score: bigint, change: Partial<ChainEventRow> = {}): ChainEventRow =>
  chainEvent("Payout", { block, score, amount: score * 10n ** 18n, ...change });

const FIRST_PAGE = { page: 1, limit: 25 };
const viewOf = async ({ chain }: Store, wallet: Address) => ({
  bank: await chain.scorebank(wallet),
  all: await chain.payouts(wallet, null, FIRST_PAGE),
  shells: await chain.payouts(wallet, "shellrunners", FIRST_PAGE),
  cursor: await chain.cursor(),
});

describeStore("scorebank and payout history", (subject) => {
  it("begin empty", async () => {
    const { chain } = subject().store;
    expect(await chain.scorebank(ALICE)).to.deep.equal({ score: 0n, snapshots: 0, lastSnapshotAt: null, byGame: {} });
    expect(await chain.payouts(ALICE, null, FIRST_PAGE)).to.deep.equal({ items: [], total: 0 });
  });

  it("fill by snapshots and empty by a payout, game by game", async () => {
    const { store } = subject();
    await mine(
      store,
      snapshot(10, "shellrunners", 100n),
      snapshot(11, "flappybots", 20n, { scorebank: 120n }),
      snapshot(11, "shellrunners", 3n, { scorebank: 123n, logIndex: 1 }),
      snapshot(11, "shellrunners", 9_999n, { wallet: BOB, logIndex: 2 }),
    );
    expect(await store.chain.scorebank(ALICE)).to.deep.equal({
      score: 123n,
      snapshots: 3,
      lastSnapshotAt: T0 / 1000 + 11,
      byGame: { shellrunners: 103n, flappybots: 20n },
    });

    // One block may hold a snapshot, the payout after it and the next snapshot.
    const paid = payout(12, 124n, { logIndex: 5 });
    await mine(
      store,
      snapshot(12, "flappybots", 1n, { scorebank: 124n, logIndex: 4 }),
      paid,
      snapshot(12, "flappybots", 7n, { logIndex: 6 }),
    );
    expect(await store.chain.scorebank(ALICE)).to.deep.equal({
      score: 7n,
      snapshots: 1,
      lastSnapshotAt: T0 / 1000 + 12,
      byGame: { flappybots: 7n },
    });
    expect(await store.chain.payouts(ALICE, null, FIRST_PAGE)).to.deep.equal({
      items: [
        {
          payoutId: null,
          txHash: paid.txHash,
          block: 12,
          at: T0 / 1000 + 12,
          score: 124n,
          amount: 124n * 10n ** 18n,
          byGame: { shellrunners: 103n, flappybots: 21n },
        },
      ],
      total: 1,
    });
    expect((await store.chain.scorebank(BOB)).score).to.equal(9_999n);
  });

  it("name the ledger's payout by its transaction", async () => {
    const { store } = subject();
    const paid = payout(11, 1n);
    const row = payoutRow({ txHash: paid.txHash });
    await store.payouts.open(row);
    await mine(store, snapshot(10, "shellrunners", 1n), paid);
    expect((await store.chain.payouts(ALICE, null, FIRST_PAGE)).items[0]?.payoutId).to.equal(row.payoutId);
  });

  it("show a game's share across payouts, page by page", async () => {
    const { store } = subject();
    const events: ChainEventRow[] = [];
    for (let round = 1; round <= 6; round++) {
      events.push(snapshot(round * 10, round % 2 === 0 ? "flappybots" : "shellrunners", BigInt(round)));
      if (round % 3 === 0) events.push(snapshot(round * 10 + 1, "shellrunners", 1_000n));
      events.push(payout(round * 10 + 2, BigInt(round)));
    }
    await mine(store, ...events);
    const all = await store.chain.payouts(ALICE, null, { page: 1, limit: 100 });
    expect(all.items.map((it) => it.score)).to.deep.equal([6n, 5n, 4n, 3n, 2n, 1n]);
    const paged = await store.chain.payouts(ALICE, null, { page: 2, limit: 2 });
    expect(paged).to.deep.equal({ items: all.items.slice(2, 4), total: 6 });

    const shells = await store.chain.payouts(ALICE, "shellrunners", { page: 1, limit: 3 });
    expect(shells.items.map((it) => [it.score, it.byGame])).to.deep.equal([
      [6n, { shellrunners: 1_000n }],
      [5n, { shellrunners: 5n }],
      [3n, { shellrunners: 1_003n }],
    ]);
    expect(shells.total).to.equal(4);
    const rest = await store.chain.payouts(ALICE, "shellrunners", { page: 2, limit: 3 });
    expect(rest.items.map((it) => it.score)).to.deep.equal([1n]);
    expect((await store.chain.payouts(ALICE, "unheard", FIRST_PAGE)).total).to.equal(0);
  });

  it("sum exactly where doubles cannot", async () => {
    const { store } = subject();
    const big = 2n ** 53n + 1n;
    await mine(store, snapshot(10, "shellrunners", big), snapshot(11, "shellrunners", big, { scorebank: 2n * big }));
    expect(await store.chain.scorebank(ALICE)).to.deep.include({ score: 2n * big, byGame: { shellrunners: 2n * big } });
  });
});

describe("a store that saw reorganizations", () => {
  const step = fc.record({
    kind: fc.constantFrom("shellrunners", "flappybots", "payout"),
    wallet: fc.constantFrom(ALICE, BOB),
    score: fc.bigInt({ min: 1n, max: 10n ** 20n }),
  });
  const chainOf = fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 8 });

  /** Events of a chain's blocks, scorebank and all, as the contract would emit them. */
  function eventsOf(
    blocks: readonly (readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[])[],
    fork: string,
  ) {
    const banks = new Map<Address, bigint>();
    return blocks.flatMap((steps, block) =>
      steps.map(({ kind, wallet, score }, logIndex) => {
        const at = { block, logIndex, wallet, blockHash: blockHash(block, fork) };
        const bank = banks.get(wallet) ?? 0n;
        banks.set(wallet, kind === "payout" ? 0n : bank + score);
        return kind === "payout"
          ? payout(block, bank, at)
          : snapshot(block, kind, score, { ...at, scorebank: bank + score });
      }),
    );
  }

  it("equals one that saw the final chain alone", async () => {
    await fc.assert(
      fc.asyncProperty(chainOf, chainOf, fc.nat(8), async (seen, final, ancestor) => {
        const common = Math.min(ancestor, seen.length, final.length);
        const finalBlocks = [...seen.slice(0, common), ...final.slice(common)];
        const events = eventsOf(finalBlocks, "");
        const lost = eventsOf(seen, "").map((event) =>
          event.block < common
            ? events.find((it) => it.block === event.block && it.logIndex === event.logIndex)!
            : { ...event, blockHash: blockHash(event.block, "'") },
        );
        const refs = finalBlocks.map((_, number) => ({ number, hash: blockHash(number) }));
        const lostRefs = seen.map((_, number) => ({ number, hash: blockHash(number, number < common ? "" : "'") }));

        const store = await openStore({ databaseUrl: "sqlite::memory:" });
        const fresh = await openStore({ databaseUrl: "sqlite::memory:" });
        try {
          await store.chain.append(lostRefs, lost);
          await store.chain.rewind(common - 1);
          await store.chain.append(
            refs.slice(common),
            events.filter((event) => event.block >= common),
          );
          await fresh.chain.append(refs, events);
          for (const wallet of [ALICE, BOB]) {
            const view = await viewOf(store, wallet);
            expect(view).to.deep.equal(await viewOf(fresh, wallet));
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
  }).timeout(30_000);
});
