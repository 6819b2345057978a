/** Metadata documents and profiles. */
import { type RawBuilder, sql } from "kysely";
import type { Address } from "viem";
import type { IdentityStore, ProfileRow } from "../../../ports/store/identity.ts";
import type { Connection } from "../connection.ts";
import { publish } from "../facts.ts";
import type { Db, MetadataDocumentTable } from "../schema.ts";
import type { BuildStatement } from "../statement.ts";

async function findProfile(db: Db, wallet: ProfileRow["wallet"]): Promise<ProfileRow | null> {
  const row = await db.selectFrom("profiles").selectAll().where("wallet", "=", wallet).executeTakeFirst();
  if (row === undefined) return null;
  return {
    ...row,
    links: JSON.parse(row.links) as ProfileRow["links"],
    services: JSON.parse(row.services) as ProfileRow["services"],
  };
}

/**
 * The digest identifies the bytes: a second document with it is the same one, and its wallet is set to `walletOfKnown`.
 */
const putDocument =
  (walletOfKnown: RawBuilder<Address> | null): BuildStatement<MetadataDocumentTable, unknown> =>
  (db, { digest, bytes, createdAtMs, wallet }) =>
    db
      .insertInto("metadataDocuments")
      .values({ digest, bytes, createdAtMs, wallet })
      .onConflict((conflict) => conflict.column("digest").doUpdateSet({ createdAtMs, wallet: walletOfKnown }));

const buildPutForever = putDocument(null);
/** Runs for each registration. A document that is kept forever stays so. */
const buildPutOfWallet = putDocument(sql<Address>`metadata_documents.wallet`);

const buildSelectDocument: BuildStatement<Pick<MetadataDocumentTable, "digest">, { readonly bytes: string }> = (
  db,
  { digest },
) => db.selectFrom("metadataDocuments").select("bytes").where("digest", "=", digest);

export function createIdentityStore({ read, readRows, write, compile }: Connection): IdentityStore {
  const selectDocument = compile(buildSelectDocument);
  const putForever = compile(buildPutForever);
  const putOfWallet = compile(buildPutOfWallet);
  return {
    putMetadata: ({ digest, bytes, atMs, wallet }) =>
      write(async (db) => {
        const put = wallet === null ? putForever : putOfWallet;
        await db.executeQuery(put({ digest, bytes, createdAtMs: atMs, wallet }));
      }),

    findMetadata: async (digest) => (await readRows(selectDocument({ digest })))[0]?.bytes ?? null,

    putProfile: (row) =>
      write(async (db) => {
        publish(db, "standings");
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
        publish(db, "standings");
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
