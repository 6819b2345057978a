/** Rows that no other transaction is writing. */
import type { Db } from "../schema.ts";

/** The transactions with these ids, without those that another node is writing; the others are locked. */
export const selectUnlocked = (db: Db, ids: readonly string[]) =>
  db.selectFrom("transactions").select("id").where("id", "in", ids).forUpdate().skipLocked();
