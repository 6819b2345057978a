/** The log of signatures, written before a signature is sent. */
import type { SigningStore } from "../../../ports/store/chain.ts";
import type { Connection } from "../connection.ts";

export function createSigningStore({ write }: Connection): SigningStore {
  return {
    record: ({ kind, key, payloadHash, atMs }) =>
      write(async (db) => {
        const inserted = await db
          .insertInto("signings")
          .values({ kind, key, payloadHash, createdAtMs: atMs })
          .onConflict((conflict) => conflict.columns(["kind", "key"]).doNothing())
          .executeTakeFirstOrThrow();
        if (inserted.numInsertedOrUpdatedRows === 1n) return "recorded";
        const earlier = await db
          .selectFrom("signings")
          .select("payloadHash")
          .where("kind", "=", kind)
          .where("key", "=", key)
          .executeTakeFirstOrThrow();
        return earlier.payloadHash === payloadHash ? "recorded" : "conflict";
      }),
  };
}
