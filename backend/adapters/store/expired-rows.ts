/** Removes expired rows as part of writes that add rows to their table. */
import { sql } from "kysely";
import { isPostgres } from "./migrations/triggers.ts";
import { defineStatement } from "./statement.ts";

/** The column that is compared with `beforeMs`. */
const TIME_COLUMNS = {
  nonces: "expiresAtMs",
  accessTokens: "expiresAtMs",
  refreshTokens: "expiresAtMs",
  channelTokens: "expiresAtMs",
  idempotencyKeys: "createdAtMs",
} as const;

/** The maximum number of rows that one write removes on PostgreSQL; the next one continues. */
const ROWS_MAX = 100;

/**
 * Removes a table's expired rows. On PostgreSQL it skips rows that another transaction has locked: all nodes remove the
 * same rows, and would wait for each other if their transactions used several tables in different order.
 */
export const defineRemoval = (table: keyof typeof TIME_COLUMNS) =>
  defineStatement<{ readonly beforeMs: number }, unknown>((db, { beforeMs }) => {
    const time = sql.ref(TIME_COLUMNS[table]);
    const isOver = sql<boolean>`${time} < ${beforeMs}`;
    if (!isPostgres(db)) return db.deleteFrom(table).where(isOver);
    const free = sql`select ctid from ${sql.table(table)} where ${isOver}
      order by ${time} limit ${sql.lit(ROWS_MAX)} for update skip locked`;
    return db.deleteFrom(table).where(sql<boolean>`ctid in (${free})`);
  });
