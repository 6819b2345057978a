/** The log of signatures, written before a signature is sent. */
import { sql } from "kysely";
import type { SigningStore } from "../../../ports/store/chain.ts";
import { type Columns, toColumns } from "../batches.ts";
import type { Connection } from "../connection.ts";
import type { RunCalls } from "../group-commit.ts";
import type { Db, SigningTable } from "../schema.ts";
import { type BuildStatement, defineStatement } from "../statement.ts";

const buildInsert: BuildStatement<SigningTable, unknown> = (db, { kind, key, payloadHash, createdAtMs }) =>
  db
    .insertInto("signings")
    .values({ kind, key, payloadHash, createdAtMs })
    .onConflict((conflict) => conflict.columns(["kind", "key"]).doNothing());

type Key = Pick<SigningTable, "kind" | "key">;
type Payload = Pick<SigningTable, "payloadHash">;

const selectPayload = defineStatement<Key, Payload>((db, { kind, key }) =>
  db.selectFrom("signings").select("payloadHash").where("kind", "=", kind).where("key", "=", key),
);

/**
 * For PostgreSQL: inserts the first row of each new key, and returns the inserted ones. Ordered by key, so that the
 * transactions of two nodes cannot deadlock.
 */
const insertAll = defineStatement<Columns<SigningTable>, Key & Payload>(
  (_, { kind, key, payloadHash, createdAtMs }) => sql`insert into signings (kind, key, payload_hash, created_at_ms)
    select kind, key, payload_hash, created_at_ms
    from unnest(${kind}::text[], ${key}::text[], ${payloadHash}::text[], ${createdAtMs}::int8[])
      with ordinality as asked (kind, key, payload_hash, created_at_ms, place)
    order by kind, key, place
    on conflict (kind, key) do nothing
    returning kind, key, payload_hash`,
);

/** Unambiguous, since a kind contains no spaces. */
const toName = ({ kind, key }: Key): string => `${kind} ${key}`;

type Recorded = Awaited<ReturnType<SigningStore["record"]>>;

/** `inserted`: the payload that was stored if the key is new. */
async function compare(db: Db, row: SigningTable, inserted: string | undefined): Promise<Recorded> {
  const stored = inserted ?? (await selectPayload(db, row)).rows[0]!.payloadHash;
  return stored === row.payloadHash ? "recorded" : "conflict";
}

const recordAll: RunCalls<SigningTable, Recorded> = async (db, rows) => {
  const { rows: inserted } = await insertAll(db, toColumns(rows));
  const payloads = new Map(inserted.map((row) => [toName(row), row.payloadHash]));
  const results: Recorded[] = [];
  for (const row of rows) results.push(await compare(db, row, payloads.get(toName(row))));
  return results;
};

export function createSigningStore({ defineWrite, compile }: Connection): SigningStore {
  const insert = compile(buildInsert);
  const record = defineWrite<SigningTable, Recorded>({
    one: async (db, row) => {
      const { numAffectedRows } = await db.executeQuery(insert(row));
      return numAffectedRows === 1n ? "recorded" : await compare(db, row, undefined);
    },
    all: recordAll,
  });
  return {
    record: ({ kind, key, payloadHash, atMs }) => record({ kind, key, payloadHash, createdAtMs: atMs }),
  };
}
