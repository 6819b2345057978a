/** Sign-in: nonces and tokens. */
import type { Kysely } from "kysely";
import { defineTable, indexesOf } from "../define-table.ts";

export async function createAuthTables({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`nonces:
    nonce text key, purpose text, wallet text, slug text, message text, issuedAtMs bigint, expiresAtMs bigint,
    usedAtMs bigint?`.execute();
  await indexesOf(schema, "nonces")("noncesByExpiry", ["expiresAtMs"]);

  // `contractDigest` and `contractSignature` are checked with the contract wallet again at each refresh.
  const refresh = `, accessTtlSeconds integer, successorSalt text?, rotatedAtMs bigint?,
    successorAccessExpiresAtMs bigint?, contractDigest text?, contractSignature text?`;
  for (const [table, more] of Object.entries({ accessTokens: "", refreshTokens: refresh })) {
    await defineTable(schema)`${table}:
      tokenHash text key, familyId text, wallet text, slug text, expiresAtMs bigint, revokedAtMs bigint?${more}`.execute();
    const index = indexesOf(schema, table);
    await index(`${table}ByFamily`, ["familyId"]);
    await index(`${table}ByExpiry`, ["expiresAtMs"]);
    await index(`${table}ByWallet`, ["wallet"]);
  }
}
