/** Sign-in nonces, access tokens and refresh token families. */
import type { ExpressionBuilder } from "kysely";
import type { AccessTokenRow, AuthStore, NewTokens, NonceRow, RevokedTokens } from "../../../ports/store/auth.ts";
import type { Connection } from "../connection.ts";
import { defineRemoval } from "../expired-rows.ts";
import { defineInsert } from "../insert.ts";
import type { Db, Schema } from "../schema.ts";
import { type BuildStatement, defineStatement } from "../statement.ts";

/** Expired rows are kept for this long, so that using one still returns the exact error. */
const EXPIRED_RETENTION_MS = 24 * 3600 * 1000;

type TokenTable = "accessTokens" | "refreshTokens" | "channelTokens";

/** The `where` condition for the tokens of one sign-in, or of one wallet. */
const matchTokens = (tokens: RevokedTokens) => (eb: ExpressionBuilder<Schema, TokenTable>) =>
  "familyId" in tokens ? eb("familyId", "=", tokens.familyId) : eb("wallet", "=", tokens.wallet);

const removeNonces = defineRemoval("nonces");
const removeAccessTokens = defineRemoval("accessTokens");
const removeRefreshTokens = defineRemoval("refreshTokens");

const selectNonce = defineStatement<Pick<NonceRow, "nonce">, NonceRow>((db, { nonce }) =>
  db.selectFrom("nonces").selectAll().where("nonce", "=", nonce),
);

const updateUsedNonce = defineStatement<Pick<NonceRow, "nonce"> & { readonly atMs: number }, unknown>(
  (db, { nonce, atMs }) =>
    db.updateTable("nonces").set({ usedAtMs: atMs }).where("nonce", "=", nonce).where("usedAtMs", "is", null),
);

const insertNonces = defineInsert("nonces");
const insertAccessTokens = defineInsert("accessTokens");
const insertRefreshTokens = defineInsert("refreshTokens");

async function insertTokens(db: Db, { access, refresh }: NewTokens): Promise<void> {
  await insertAccessTokens(db, [access]);
  await insertRefreshTokens(db, [refresh]);
}

/** Runs for every request with a token. */
const buildSelectAccessToken: BuildStatement<Pick<AccessTokenRow, "tokenHash">, AccessTokenRow> = (db, values) =>
  db.selectFrom("accessTokens").selectAll().where("tokenHash", "=", values.tokenHash);

export function createAuthStore({ read, readOne, readRows, write, compile }: Connection): AuthStore {
  const selectAccessToken = compile(buildSelectAccessToken);
  return {
    addNonce: (row) =>
      write(async (db) => {
        await removeNonces(db, { beforeMs: row.issuedAtMs - EXPIRED_RETENTION_MS });
        await insertNonces(db, [row]);
      }),

    findNonce: (nonce) => readOne(async (db) => (await selectNonce(db, { nonce })).rows[0] ?? null),

    consumeNonce: (nonce, atMs) =>
      write(async (db) => {
        const { numAffectedRows } = await updateUsedNonce(db, { nonce, atMs });
        return numAffectedRows === 1n;
      }),

    addTokens: (tokens) => write((db) => insertTokens(db, tokens)),

    findAccessToken: async (tokenHash) => (await readRows(selectAccessToken({ tokenHash })))[0] ?? null,

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
        await insertTokens(db, { access, refresh });
        const beforeMs = atMs - EXPIRED_RETENTION_MS;
        await removeAccessTokens(db, { beforeMs });
        await removeRefreshTokens(db, { beforeMs });
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
        // If a player requests a new token, the used one was revoked before.
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
