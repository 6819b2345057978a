/** The row of the lease: which process may work on this database. */
import { sql } from "kysely";
import type { Connection } from "../connection.ts";
import type { Db, LeaseRow } from "../schema.ts";
import { defineStatement } from "../statement.ts";

export const LEASE_NAME = "backend";

/** Creates the table if it is missing: before the migrations, since the lease decides who may migrate. */
export async function createLeaseTable(db: Db): Promise<void> {
  await db.schema
    .createTable("leases")
    .ifNotExists()
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("owner", "text")
    .addColumn("epoch", "bigint", (column) => column.notNull())
    .addColumn("renewals", "bigint", (column) => column.notNull())
    .addColumn("expiresAtMs", "bigint", (column) => column.notNull())
    .addColumn("place", "text", (column) => column.notNull())
    .addColumn("processId", "bigint", (column) => column.notNull())
    .execute();
}

const selectLease = defineStatement<object, LeaseRow>((db) =>
  db.selectFrom("leases").selectAll().where("name", "=", LEASE_NAME),
);

export const findLease = async ({ readOne }: Connection): Promise<LeaseRow | null> =>
  (await readOne((db) => selectLease(db, {}))).rows[0] ?? null;

/** Takes the lease if it is still as in `seen`. Null if another process was faster. */
export function takeLeaseRow(
  { write }: Connection,
  seen: LeaseRow | null,
  holder: Pick<LeaseRow, "owner" | "place" | "processId" | "expiresAtMs">,
): Promise<number | null> {
  return write(async (db) => {
    if (seen === null) {
      const row = { name: LEASE_NAME, epoch: 1, renewals: 0, ...holder };
      const inserted = await db
        .insertInto("leases")
        .values(row)
        .onConflict((conflict) => conflict.column("name").doNothing())
        .executeTakeFirstOrThrow();
      return inserted.numInsertedOrUpdatedRows === 1n ? 1 : null;
    }
    const epoch = seen.epoch + 1;
    const result = await db
      .updateTable("leases")
      .set({ epoch, renewals: 0, ...holder })
      .where("name", "=", LEASE_NAME)
      .where("epoch", "=", seen.epoch)
      .where("renewals", "=", seen.renewals)
      .executeTakeFirstOrThrow();
    return result.numUpdatedRows === 1n ? epoch : null;
  });
}

/** The lease's holder, checked in every write. */
export interface Fence {
  readonly owner: string;
  readonly epoch: number;
}

const selectHeld = defineStatement<Fence, { readonly name: string }>((db, { owner, epoch }) =>
  db
    .selectFrom("leases")
    .select("name")
    .where("name", "=", LEASE_NAME)
    .where("owner", "=", owner)
    .where("epoch", "=", epoch),
);

/** False when the lease has another owner or epoch. */
export const isLeaseHeld = async (db: Db, { owner, epoch }: Fence): Promise<boolean> =>
  (await selectHeld(db, { owner, epoch })).rows.length > 0;

/** False if the lease has another owner or epoch. Does not wait for the disk: losing a renewal does no harm. */
export function renewLease(
  { writeBehind }: Connection,
  { owner, epoch }: Fence,
  expiresAtMs: number,
): Promise<boolean> {
  return writeBehind(async (db) => {
    const result = await db
      .updateTable("leases")
      .set({ renewals: sql`renewals + 1`, expiresAtMs })
      .where("name", "=", LEASE_NAME)
      .where("owner", "=", owner)
      .where("epoch", "=", epoch)
      .executeTakeFirstOrThrow();
    return result.numUpdatedRows === 1n;
  });
}

export async function releaseLease({ write }: Connection, { owner, epoch }: Fence): Promise<void> {
  await write((db) =>
    db
      .updateTable("leases")
      .set({ owner: null })
      .where("name", "=", LEASE_NAME)
      .where("owner", "=", owner)
      .where("epoch", "=", epoch)
      .execute(),
  );
}
