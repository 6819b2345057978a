/** The log of signatures, written before a signature is sent. */
import type { SigningStore } from "../../../ports/store/chain.ts";
import type { Connection } from "../connection.ts";
import type { SigningTable } from "../schema.ts";
import type { BuildStatement } from "../statement.ts";

const buildInsert: BuildStatement<SigningTable, unknown> = (db, { kind, key, payloadHash, createdAtMs }) =>
  db
    .insertInto("signings")
    .values({ kind, key, payloadHash, createdAtMs })
    .onConflict((conflict) => conflict.columns(["kind", "key"]).doNothing());

const buildSelect: BuildStatement<Pick<SigningTable, "kind" | "key">, Pick<SigningTable, "payloadHash">> = (
  db,
  { kind, key },
) => db.selectFrom("signings").select("payloadHash").where("kind", "=", kind).where("key", "=", key);

export function createSigningStore({ write, compile }: Connection): SigningStore {
  const insert = compile(buildInsert);
  const select = compile(buildSelect);
  return {
    record: ({ kind, key, payloadHash, atMs }) =>
      write(async (db) => {
        const inserted = await db.executeQuery(insert({ kind, key, payloadHash, createdAtMs: atMs }));
        if (inserted.numAffectedRows === 1n) return "recorded";
        const [earlier] = (await db.executeQuery(select({ kind, key }))).rows;
        return earlier!.payloadHash === payloadHash ? "recorded" : "conflict";
      }),
  };
}
