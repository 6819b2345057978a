/**
 * Sums over all events, stored for each block with events: the newest row has the totals, the difference of two rows is
 * the sum between them, and a reorganization removes rows together with events.
 */
import type { ChainTotals } from "../../../ports/store/chain.ts";
import { IS_SUMMED_EVENT } from "../conditions.ts";
import { defineInsert } from "../insert.ts";
import { packUint, unpackUint } from "../numbers.ts";
import type { ChainEventTable, ChainTotalsTable, Db } from "../schema.ts";
import { defineStatement } from "../statement.ts";

type Sums = Pick<ChainTotals, "snapshots" | "payouts" | "paid">;

const ZERO_SUMS: Sums = { snapshots: 0, payouts: 0, paid: 0n };

const toSums = (row: ChainTotalsTable | undefined): Sums =>
  row === undefined ? ZERO_SUMS : { snapshots: row.snapshots, payouts: row.payouts, paid: unpackUint(row.paid) };

interface From {
  readonly fromBlock: number;
}

const selectBefore = defineStatement<From, ChainTotalsTable>((db, { fromBlock }) =>
  db.selectFrom("chainTotals").selectAll().where("block", "<", fromBlock).orderBy("block", "desc").limit(1),
);

const deleteFrom = defineStatement<From, unknown>((db, { fromBlock }) =>
  db.deleteFrom("chainTotals").where("block", ">=", fromBlock),
);

const selectSummed = defineStatement<From, Pick<ChainEventTable, "block" | "blockTime" | "name" | "amount">>(
  (db, { fromBlock }) =>
    db
      .selectFrom("chainEvents")
      .select(["block", "blockTime", "name", "amount"])
      .where("block", ">=", fromBlock)
      .where(IS_SUMMED_EVENT)
      .orderBy("block"),
);

const insertTotals = defineInsert("chainTotals");

/** Recomputes the rows from a block on from the stored events. */
export async function rebuildTotals(db: Db, fromBlock: number): Promise<void> {
  const [before] = (await selectBefore(db, { fromBlock })).rows;
  await deleteFrom(db, { fromBlock });
  const events = (await selectSummed(db, { fromBlock })).rows;
  let sums = toSums(before);
  const rows = new Map<number, ChainTotalsTable>();
  for (const { block, blockTime, name, amount } of events) {
    sums =
      name === "Payout"
        ? { ...sums, payouts: sums.payouts + 1, paid: sums.paid + unpackUint(amount!) }
        : { ...sums, snapshots: sums.snapshots + 1 };
    rows.set(block, { block, blockTime, ...sums, paid: packUint(sums.paid) });
  }
  await insertTotals(db, [...rows.values()]);
}

const selectAsOf = defineStatement<{ readonly block: number }, ChainTotalsTable>((db, { block }) =>
  db.selectFrom("chainTotals").selectAll().where("block", "<=", block).orderBy("block", "desc").limit(1),
);

const selectBeforeTime = defineStatement<{ readonly seconds: number }, ChainTotalsTable>((db, { seconds }) =>
  db
    .selectFrom("chainTotals")
    .selectAll()
    .where("blockTime", "<", seconds)
    .orderBy("blockTime", "desc")
    .orderBy("block", "desc")
    .limit(1),
);

/** As of a block; `paidSince` counts the payouts of blocks with that time or a later one. */
export async function readTotals(
  db: Db,
  { block, sinceSeconds }: { readonly block: number; readonly sinceSeconds: number },
): Promise<ChainTotals> {
  const [now] = (await selectAsOf(db, { block })).rows;
  if (now === undefined) return { ...ZERO_SUMS, paidSince: 0n };
  const sums = toSums(now);
  if (now.blockTime < sinceSeconds) return { ...sums, paidSince: 0n };
  const [before] = (await selectBeforeTime(db, { seconds: sinceSeconds })).rows;
  return { ...sums, paidSince: sums.paid - toSums(before).paid };
}
