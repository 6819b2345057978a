/** Sign-in nonces, access tokens and refresh token families. */
import type { AuthStore } from "../../ports.ts";
import type { Connection } from "./connection.ts";

/** What has expired is kept so much longer, so that its use still gets the exact error. */
const KEEP_EXPIRED_MS = 24 * 3600 * 1000;

export function makeAuthStore({ read, write }: Connection): AuthStore {
  return {
    addNonce: (row) =>
      write(async (db) => {
        await db
          .deleteFrom("nonces")
          .where("expiresAtMs", "<", row.issuedAtMs - KEEP_EXPIRED_MS)
          .execute();
        await db.insertInto("nonces").values(row).execute();
      }),

    findNonce: (nonce) =>
      read(
        async (db) => (await db.selectFrom("nonces").selectAll().where("nonce", "=", nonce).executeTakeFirst()) ?? null,
      ),

    useNonce: (nonce, atMs) =>
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

    findAccessToken: (tokenHash) =>
      read(
        async (db) =>
          (await db.selectFrom("accessTokens").selectAll().where("tokenHash", "=", tokenHash).executeTakeFirst()) ??
          null,
      ),

    findRefreshToken: (tokenHash) =>
      read(
        async (db) =>
          (await db.selectFrom("refreshTokens").selectAll().where("tokenHash", "=", tokenHash).executeTakeFirst()) ??
          null,
      ),

    rotate: (oldHash, salt, atMs, { access, refresh }) =>
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
        const longAgoMs = atMs - KEEP_EXPIRED_MS;
        await db.deleteFrom("accessTokens").where("expiresAtMs", "<", longAgoMs).execute();
        await db.deleteFrom("refreshTokens").where("expiresAtMs", "<", longAgoMs).execute();
        return true;
      }),

    revokeFamily: (familyId, atMs) =>
      write(async (db) => {
        for (const table of ["accessTokens", "refreshTokens"] as const) {
          await db
            .updateTable(table)
            .set({ revokedAtMs: atMs })
            .where("familyId", "=", familyId)
            .where("revokedAtMs", "is", null)
            .execute();
        }
      }),
  };
}
