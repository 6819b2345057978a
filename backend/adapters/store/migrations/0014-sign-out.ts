/** What sign-out revokes, and what a contract wallet is asked again at refresh. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("refreshTokens").addColumn("contractDigest", "text").execute();
  await db.schema.alterTable("refreshTokens").addColumn("contractSignature", "text").execute();
  await db.schema.alterTable("channelTokens").addColumn("familyId", "text").execute();
  await db.schema.createIndex("channelTokensByFamily").on("channelTokens").column("familyId").execute();
  for (const table of ["accessTokens", "refreshTokens", "channelTokens"])
    await db.schema.createIndex(`${table}ByWallet`).on(table).column("wallet").execute();
}
