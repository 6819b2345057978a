/** One-use tokens of the play and spectate channels. */
import type { ChannelTokenStore } from "../../../ports/store/auth.ts";
import type { Connection } from "../connection.ts";

const EXPIRED_RETENTION_MS = 3600 * 1000;

export function createChannelTokenStore({ read, write, writeBehind }: Connection): ChannelTokenStore {
  return {
    // A token that is lost with the power costs its owner another request.
    add: (row) =>
      writeBehind(async (db) => {
        if (row.kind === "play") {
          // A new token revokes the unused one. `revokedAtMs` gets the time at which it would have expired.
          await db
            .updateTable("channelTokens")
            .set((eb) => ({ revokedAtMs: eb.ref("expiresAtMs") }))
            .where("sessionId", "=", row.sessionId)
            .where("kind", "=", "play")
            .where("revokedAtMs", "is", null)
            .execute();
        }
        await db.insertInto("channelTokens").values(row).execute();
      }),

    find: (tokenHash) =>
      read(
        async (db) =>
          (await db.selectFrom("channelTokens").selectAll().where("tokenHash", "=", tokenHash).executeTakeFirst()) ??
          null,
      ),

    consume: (tokenHash, atMs) =>
      write(async (db) => {
        const result = await db
          .updateTable("channelTokens")
          .set({ usedAtMs: atMs })
          .where("tokenHash", "=", tokenHash)
          .where("usedAtMs", "is", null)
          .where("revokedAtMs", "is", null)
          .executeTakeFirstOrThrow();
        if (result.numUpdatedRows !== 1n) return false;
        await db
          .deleteFrom("channelTokens")
          .where("expiresAtMs", "<", atMs - EXPIRED_RETENTION_MS)
          .execute();
        return true;
      }),
  };
}
