/**
 * Sums over all events, kept as they stand after each block that has any: the newest row is the answer, a difference
 * of two rows is what happened between them, and a reorganization takes its rows away with its events.
 */
import type { ChainTotals } from "../../ports.ts";
import { IS_TOTALLED } from "./conditions.ts";
import type { Db } from "./connection.ts";
import { packUint, unpackUint } from "./numbers.ts";
import type { ChainTotalsTable } from "./schema.ts";

type Sums = Pick<ChainTotals, "snapshots" | "payouts" | "paid">;

/** Rows a statement, far below SQLite's limit of 32,766 parameters. */
const BATCH = 500;
const NOTHING: Sums = { snapshots: 0, payouts: 0, paid: 0n };

const toSums = (row: ChainTotalsTable | undefined): Sums =>
  row === undefined ? NOTHING : { snapshots: row.snapshots, payouts: row.payouts, paid: unpackUint(row.paid) };

/** Makes the rows from a block on again, out of the stored events. */
export async function recountTotals(db: Db, fromBlock: number): Promise<void> {
  const before = await db
    .selectFrom("chainTotals")
    .selectAll()
    .where("block", "<", fromBlock)
    .orderBy("block", "desc")
    .limit(1)
    .executeTakeFirst();
  await db.deleteFrom("chainTotals").where("block", ">=", fromBlock).execute();
  const events = await db
    .selectFrom("chainEvents")
    .select(["block", "blockTime", "name", "amount"])
    .where("block", ">=", fromBlock)
    .where(IS_TOTALLED)
    .orderBy("block")
    .execute();
  let sums = toSums(before);
  const rows = new Map<number, ChainTotalsTable>();
  for (const { block, blockTime, name, amount } of events) {
    sums =
      name === "Payout"
        ? { ...sums, payouts: sums.payouts + 1, paid: sums.paid + unpackUint(amount ?? "0") }
        : { ...sums, snapshots: sums.snapshots + 1 };
    rows.set(block, { block, blockTime, ...sums, paid: packUint(sums.paid) });
  }
  const all = [...rows.values()];
  for (let start = 0; start < all.length; start += BATCH) {
    await db
      .insertInto("chainTotals")
      .values(all.slice(start, start + BATCH))
      .execute();
  }
}

/** As of a block; `paidSince` counts the payouts of blocks with that time or a later one. */
export async function readTotals(
  db: Db,
  { block, sinceSeconds }: { readonly block: number; readonly sinceSeconds: number },
): Promise<ChainTotals> {
  const now = await db
    .selectFrom("chainTotals")
    .selectAll()
    .where("block", "<=", block)
    .orderBy("block", "desc")
    .limit(1)
    .executeTakeFirst();
  if (now === undefined) return { ...NOTHING, paidSince: 0n };
  const sums = toSums(now);
  if (now.blockTime < sinceSeconds) return { ...sums, paidSince: 0n };
  const before = await db
    .selectFrom("chainTotals")
    .selectAll()
    .where("blockTime", "<", sinceSeconds)
    .orderBy("blockTime", "desc")
    .orderBy("block", "desc")
    .limit(1)
    .executeTakeFirst();
  return { ...sums, paidSince: sums.paid - toSums(before).paid };
}
