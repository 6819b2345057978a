/** Metadata documents and profiles. */
import { sql } from "kysely";
import type { Address } from "viem";
import type { IdentityStore, ProfileRow } from "../../../ports/store/identity.ts";
import type { Connection } from "../connection.ts";
import type { Db } from "../schema.ts";

async function findProfile(db: Db, wallet: ProfileRow["wallet"]): Promise<ProfileRow | null> {
  const row = await db.selectFrom("profiles").selectAll().where("wallet", "=", wallet).executeTakeFirst();
  if (row === undefined) return null;
  return {
    ...row,
    links: JSON.parse(row.links) as ProfileRow["links"],
    services: JSON.parse(row.services) as ProfileRow["services"],
  };
}

export function createIdentityStore({ read, write }: Connection): IdentityStore {
  return {
    putMetadata: ({ digest, bytes, atMs, wallet }) =>
      write(async (db) => {
        // The digest names the bytes: a second document under it is the same one.
        await db
          .insertInto("metadataDocuments")
          .values({ digest, bytes, createdAtMs: atMs, wallet })
          .onConflict((conflict) =>
            conflict.column("digest").doUpdateSet({
              createdAtMs: atMs,
              // A document that is kept for ever stays so.
              wallet: wallet === null ? null : sql<Address | null>`metadata_documents.wallet`,
            }),
          )
          .execute();
      }),

    findMetadata: (digest) =>
      read(async (db) => {
        const query = db.selectFrom("metadataDocuments").select("bytes").where("digest", "=", digest);
        return (await query.executeTakeFirst())?.bytes ?? null;
      }),

    putProfile: (row) =>
      write(async (db) => {
        const { wallet, ...columns } = {
          ...row,
          links: JSON.stringify(row.links),
          services: JSON.stringify(row.services),
        };
        await db
          .insertInto("profiles")
          .values({ wallet, ...columns })
          .onConflict((conflict) => conflict.column("wallet").doUpdateSet(columns))
          .execute();
      }),

    changeProfile: (wallet, change, first, atMs) =>
      write(async (db) => {
        const { links, services, ...plain } = change;
        const changed = {
          ...plain,
          ...(links === undefined ? {} : { links: JSON.stringify(links) }),
          ...(services === undefined ? {} : { services: JSON.stringify(services) }),
          updatedAtMs: atMs,
        };
        const initial = { ...first, links: JSON.stringify(first.links), services: JSON.stringify(first.services) };
        await db
          .insertInto("profiles")
          .values({ wallet, ...initial, ...changed })
          .onConflict((conflict) => conflict.column("wallet").doUpdateSet(changed))
          .execute();
        return (await findProfile(db, wallet))!;
      }),

    findProfile: (wallet) => read((db) => findProfile(db, wallet)),
  };
}
