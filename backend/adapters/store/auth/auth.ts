/** Sign-in nonces, access tokens and refresh token families. */
import type { ExpressionBuilder } from "kysely";
import type { AccessTokenRow, AuthStore, RevokedTokens } from "../../../ports/store/auth.ts";
import type { Connection } from "../connection.ts";
import { keepRows } from "../kept-rows.ts";
import type { Schema } from "../schema.ts";

/** Expired rows are kept for this long, so that their use still gets the exact error. */
const EXPIRED_RETENTION_MS = 24 * 3600 * 1000;

type TokenTable = "accessTokens" | "refreshTokens" | "channelTokens";

/** The `where` condition for the tokens of one sign-in, or of one wallet. */
const matchTokens = (tokens: RevokedTokens) => (eb: ExpressionBuilder<Schema, TokenTable>) =>
  "familyId" in tokens ? eb("familyId", "=", tokens.familyId) : eb("wallet", "=", tokens.wallet);

export function createAuthStore({ read, readRows, write, compile, getVersion }: Connection): AuthStore {
  // Every request with a token runs it.
  const selectAccessToken = compile<Pick<AccessTokenRow, "tokenHash">, AccessTokenRow>((db, values) =>
    db.selectFrom("accessTokens").selectAll().where("tokenHash", "=", values.tokenHash),
  );
  const findAccessToken = keepRows(
    () => getVersion(["access_tokens"]),
    async (tokenHash) => (await readRows(selectAccessToken({ tokenHash })))[0] ?? null,
  );
  return {
    addNonce: (row) =>
      write(async (db) => {
        await db
          .deleteFrom("nonces")
          .where("expiresAtMs", "<", row.issuedAtMs - EXPIRED_RETENTION_MS)
          .execute();
        await db.insertInto("nonces").values(row).execute();
      }),

    findNonce: (nonce) =>
      read(
        async (db) => (await db.selectFrom("nonces").selectAll().where("nonce", "=", nonce).executeTakeFirst()) ?? null,
      ),

    consumeNonce: (nonce, atMs) =>
      write(async (db) => {
        const result = await db
          .updateTable("nonces")
          .set({ usedAtMs: atMs })
          .where("nonce", "=", nonce)
          .where("usedAtMs", "is", null)
          .executeTakeFirstOrThrow();
        return result.numUpdatedRows === 1n;
      }),

    addTokens: ({ access, refresh }) =>
      write(async (db) => {
        await db.insertInto("accessTokens").values(access).execute();
        await db.insertInto("refreshTokens").values(refresh).execute();
      }),

    findAccessToken,

    hasSignIn: (wallet, atMs) =>
      read(async (db) => {
        const query = db.selectFrom("refreshTokens").select("familyId").where("wallet", "=", wallet);
        const valid = query.where("revokedAtMs", "is", null).where("expiresAtMs", ">", atMs);
        return (await valid.limit(1).executeTakeFirst()) !== undefined;
      }),

    findRefreshToken: (tokenHash) =>
      read(
        async (db) =>
          (await db.selectFrom("refreshTokens").selectAll().where("tokenHash", "=", tokenHash).executeTakeFirst()) ??
          null,
      ),

    rotateRefreshToken: (oldHash, salt, atMs, { access, refresh }) =>
      write(async (db) => {
        const result = await db
          .updateTable("refreshTokens")
          .set({ successorSalt: salt, rotatedAtMs: atMs, successorAccessExpiresAtMs: access.expiresAtMs })
          .where("tokenHash", "=", oldHash)
          .where("rotatedAtMs", "is", null)
          .where("revokedAtMs", "is", null)
          .executeTakeFirstOrThrow();
        if (result.numUpdatedRows !== 1n) return false;
        await db.insertInto("accessTokens").values(access).execute();
        await db.insertInto("refreshTokens").values(refresh).execute();
        const deleteBeforeMs = atMs - EXPIRED_RETENTION_MS;
        await db.deleteFrom("accessTokens").where("expiresAtMs", "<", deleteBeforeMs).execute();
        await db.deleteFrom("refreshTokens").where("expiresAtMs", "<", deleteBeforeMs).execute();
        return true;
      }),

    revoke: (tokens, atMs) =>
      write(async (db) => {
        const usable = await db
          .selectFrom("refreshTokens")
          .select("familyId")
          .where(matchTokens(tokens))
          .where("revokedAtMs", "is", null)
          .where("expiresAtMs", ">", atMs)
          .execute();
        for (const table of ["accessTokens", "refreshTokens"] as const) {
          await db
            .updateTable(table)
            .set({ revokedAtMs: atMs })
            .where(matchTokens(tokens))
            .where("revokedAtMs", "is", null)
            .execute();
        }
        // A used token has been revoked already where its player has asked for another one.
        const channelTokens = await db
          .selectFrom("channelTokens")
          .select(["sessionId", "tokenHash"])
          .where(matchTokens(tokens))
          .where("familyId", "is not", null)
          .execute();
        await db
          .updateTable("channelTokens")
          .set({ revokedAtMs: atMs })
          .where(matchTokens(tokens))
          .where("familyId", "is not", null)
          .where("revokedAtMs", "is", null)
          .execute();
        return { families: new Set(usable.map(({ familyId }) => familyId)).size, channelTokens };
      }),
  };
}
