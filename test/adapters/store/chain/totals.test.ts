import { expect } from "chai";
import fc from "fast-check";
import type { ChainEventRow } from "../../../../backend/ports/store/chain.ts";
import type { Store } from "../../../../backend/ports/store/store.ts";
import { openMemoryStore } from "../../../helpers/template.ts";
import {
  appendEvents,
  BASE_TIME_MS,
  BOB,
  createBlockHash,
  createChainEvent,
  createId,
  createSessionHasher,
} from "../rows.ts";
import { describeStore } from "../suite.ts";

const TIME = BASE_TIME_MS / 1000;

const snapshot = (block: number, change: Partial<ChainEventRow> = {}): ChainEventRow =>
  createChainEvent("ScoreSnapshot", {
    block,
    score: 1n,
    scorebank: 1n,
    gameSessionHash: createSessionHasher(createId())(1n),
    ...change,
  });
const payout = (block: number, amount: bigint, change: Partial<ChainEventRow> = {}): ChainEventRow =>
  createChainEvent("Payout", { block, score: 1n, amount, ...change });

/** Recounts all events at each call. */
function computeTotals(events: readonly ChainEventRow[], block: number, sinceSeconds: number) {
  const seen = events.filter((event) => event.block <= block);
  const payouts = seen.filter(({ name }) => name === "Payout");
  const sum = (rows: readonly ChainEventRow[]) => rows.reduce((total, { amount }) => total + amount!, 0n);
  return {
    snapshots: seen.filter(({ name }) => name === "ScoreSnapshot").length,
    payouts: payouts.length,
    paid: sum(payouts),
    paidSince: sum(payouts.filter(({ blockTime }) => blockTime >= sinceSeconds)),
  };
}

/** Blocks in order, with occasional repetitions and reorganizations. */
const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("mine" as const),
      names: fc.array(fc.constantFrom("s", "p", "n"), { maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant("rewind" as const), by: fc.nat(3) }),
    fc.record({ kind: fc.constant("again" as const) }),
  ),
  { maxLength: 14 },
);

async function applySteps(store: Store, all: readonly Step[]): Promise<ChainEventRow[]> {
  let events: ChainEventRow[] = [];
  let last: ChainEventRow[] = [];
  let head = 10;
  let fork = 0;
  for (const step of all) {
    if (step.kind === "rewind") {
      head = Math.max(10, head - step.by);
      fork += 1;
      await store.chain.rewind(head);
      events = events.filter(({ block }) => block <= head);
      last = last.filter(({ block }) => block <= head);
    } else if (step.kind === "again") {
      await store.chain.append([], last);
    } else {
      head += 1;
      const hash = createBlockHash(head, `-${fork}`);
      const position = { blockHash: hash, blockTime: TIME + head * 10 };
      last = step.names.map((name, logIndex) => {
        if (name === "s") return snapshot(head, { ...position, logIndex });
        return name === "p"
          ? payout(head, 10n ** 20n + BigInt(head), { ...position, logIndex, wallet: BOB })
          : createChainEvent("Registered", { ...position, block: head, logIndex, tokenId: 1n });
      });
      await store.chain.append([{ number: head, hash }], last);
      events.push(...last);
    }
  }
  return events;
}

type Step =
  | { readonly kind: "mine"; readonly names: readonly string[] }
  | { readonly kind: "rewind"; readonly by: number }
  | { readonly kind: "again" };

describe("chain totals", function () {
  this.timeout(30_000);

  it("equal a recount of all events at every block, over reorganizations", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const store = await openMemoryStore();
        try {
          const events = await applySteps(store, all);
          for (const block of [9, 12, 15, 18, 30]) {
            for (const sinceSeconds of [0, TIME + 120, TIME + 145, TIME + 1000]) {
              expect(await store.chain.getTotals({ block, sinceSeconds })).to.deep.equal(
                computeTotals(events, block, sinceSeconds),
              );
            }
          }
        } finally {
          await store.close();
        }
      }),
      { numRuns: 40, seed: 20_26 },
    );
  });
});

describeStore("chain totals", (store) => {
  it("hold amounts beyond 2^64", async () => {
    const huge = 2n ** 200n;
    await appendEvents(store, payout(11, huge), payout(12, huge, { wallet: BOB }));
    expect(await store.chain.getTotals({ block: 12, sinceSeconds: TIME + 12 })).to.deep.equal({
      snapshots: 0,
      payouts: 2,
      paid: 2n * huge,
      paidSince: huge,
    });
  });
});
