/** Sign-in: nonces and tokens. */
import type { Kysely } from "kysely";

export async function createAuthTables({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("nonces")
    .addColumn("nonce", "text", (column) => column.primaryKey().notNull())
    .addColumn("purpose", "text", (column) => column.notNull())
    .addColumn("wallet", "text", (column) => column.notNull())
    .addColumn("slug", "text", (column) => column.notNull())
    .addColumn("message", "text", (column) => column.notNull())
    .addColumn("issuedAtMs", "bigint", (column) => column.notNull())
    .addColumn("expiresAtMs", "bigint", (column) => column.notNull())
    .addColumn("usedAtMs", "bigint")
    .execute();
  await schema.createIndex("noncesByExpiry").on("nonces").column("expiresAtMs").execute();

  for (const table of ["accessTokens", "refreshTokens"]) {
    await schema
      .createTable(table)
      .addColumn("tokenHash", "text", (column) => column.primaryKey().notNull())
      .addColumn("familyId", "text", (column) => column.notNull())
      .addColumn("wallet", "text", (column) => column.notNull())
      .addColumn("slug", "text", (column) => column.notNull())
      .addColumn("expiresAtMs", "bigint", (column) => column.notNull())
      .addColumn("revokedAtMs", "bigint")
      .$call((builder) =>
        table === "accessTokens"
          ? builder
          : builder
              .addColumn("accessTtlSeconds", "integer", (column) => column.notNull())
              .addColumn("successorSalt", "text")
              .addColumn("rotatedAtMs", "bigint")
              .addColumn("successorAccessExpiresAtMs", "bigint")
              // Checked with the contract wallet again at each refresh.
              .addColumn("contractDigest", "text")
              .addColumn("contractSignature", "text"),
      )
      .execute();
    await schema.createIndex(`${table}ByFamily`).on(table).column("familyId").execute();
    await schema.createIndex(`${table}ByExpiry`).on(table).column("expiresAtMs").execute();
    await schema.createIndex(`${table}ByWallet`).on(table).column("wallet").execute();
  }
}
