/** Sign-in: nonces and tokens. */
import type { Kysely } from "kysely";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
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
  await db.schema.createIndex("noncesByExpiry").on("nonces").column("expiresAtMs").execute();

  for (const table of ["accessTokens", "refreshTokens"]) {
    await db.schema
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
              .addColumn("successorAccessExpiresAtMs", "bigint"),
      )
      .execute();
    await db.schema.createIndex(`${table}ByFamily`).on(table).column("familyId").execute();
    await db.schema.createIndex(`${table}ByExpiry`).on(table).column("expiresAtMs").execute();
  }
}
