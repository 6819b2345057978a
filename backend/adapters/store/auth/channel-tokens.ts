/** Single-use tokens of the play and spectate channels. */
import type { Kysely } from "kysely";
import type { ChannelTokenRow, ChannelTokenStore } from "../../../ports/store/auth.ts";
import type { Connection } from "../connection.ts";
import { defineRemoval } from "../expired-rows.ts";
import { defineInsert } from "../insert.ts";
import { isPostgres } from "../migrations/triggers.ts";
import type { Db, Schema } from "../schema.ts";
import { defineStatement } from "../statement.ts";

const EXPIRED_RETENTION_MS = 3600 * 1000;

type ByHash = Pick<ChannelTokenRow, "tokenHash">;

/** Sets `revokedAtMs` to the time at which the token would have expired. */
const updateUnused = (db: Pick<Kysely<Schema>, "updateTable">, { sessionId }: Pick<ChannelTokenRow, "sessionId">) =>
  db
    .updateTable("channelTokens")
    .set((eb) => ({ revokedAtMs: eb.ref("expiresAtMs") }))
    .where("sessionId", "=", sessionId)
    .where("kind", "=", "play")
    .where("revokedAtMs", "is", null);

const revokeUnused = defineStatement<Pick<ChannelTokenRow, "sessionId">, unknown>(updateUnused);

/** Both in one statement, since each statement of PostgreSQL is a round trip to another process. */
const replaceUnused = defineStatement<ChannelTokenRow, unknown>((db, row) => {
  const { tokenHash, kind, sessionId, wallet, familyId, ip, expiresAtMs, usedAtMs, revokedAtMs } = row;
  return db
    .with("revoked", (cte) => updateUnused(cte, { sessionId }))
    .insertInto("channelTokens")
    .values({ tokenHash, kind, sessionId, wallet, familyId, ip, expiresAtMs, usedAtMs, revokedAtMs });
});

const insertTokens = defineInsert("channelTokens");

/** A new play token revokes the unused one. */
async function addToken(db: Db, row: ChannelTokenRow): Promise<void> {
  if (row.kind === "play" && isPostgres(db)) {
    await replaceUnused(db, row);
    return;
  }
  if (row.kind === "play") await revokeUnused(db, { sessionId: row.sessionId });
  await insertTokens(db, [row]);
}

const selectToken = defineStatement<ByHash, ChannelTokenRow>((db, { tokenHash }) =>
  db.selectFrom("channelTokens").selectAll().where("tokenHash", "=", tokenHash),
);

/** One conditional update, which succeeds for only one caller. */
const consumeToken = defineStatement<ByHash & { readonly atMs: number }, unknown>((db, { tokenHash, atMs }) =>
  db
    .updateTable("channelTokens")
    .set({ usedAtMs: atMs })
    .where("tokenHash", "=", tokenHash)
    // safeguard: use-play-token-once
    .where("usedAtMs", "is", null)
    .where("revokedAtMs", "is", null),
);

const removeExpired = defineRemoval("channelTokens");

export function createChannelTokenStore({ readOne, write, writeBehind }: Connection): ChannelTokenStore {
  return {
    // A token lost in a power cut costs its owner only another request.
    add: (row) => writeBehind((db) => addToken(db, row)),

    find: (tokenHash) => readOne(async (db) => (await selectToken(db, { tokenHash })).rows[0] ?? null),

    consume: (tokenHash, atMs) =>
      write(async (db) => {
        const { numAffectedRows } = await consumeToken(db, { tokenHash, atMs });
        if (numAffectedRows !== 1n) return false;
        await removeExpired(db, { beforeMs: atMs - EXPIRED_RETENTION_MS });
        return true;
      }),
  };
}
