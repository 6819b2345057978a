/** One-use tokens of the play and spectate channels. */
import type { ChannelTokenStore } from "../../ports.ts";
import type { Connection } from "./connection.ts";

const KEEP_EXPIRED_MS = 3600 * 1000;

export function makeChannelTokenStore({ read, write }: Connection): ChannelTokenStore {
  return {
    add: (row) =>
      write(async (db) => {
        if (row.kind === "play") {
          // An unused token is worth nothing once it is replaced. Its row says until when it would have been good.
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

    use: (tokenHash, atMs) =>
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
          .where("expiresAtMs", "<", atMs - KEEP_EXPIRED_MS)
          .execute();
        return true;
      }),
  };
}
