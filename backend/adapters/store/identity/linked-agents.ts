/** Agents of other registries that wallets have linked. */
import type { LinkedAgentStore } from "../../../ports/store/linked-agents.ts";
import type { Connection } from "../connection.ts";
import { publish } from "../facts.ts";

export function createLinkedAgentStore({ read, write }: Connection): LinkedAgentStore {
  return {
    put: (row) =>
      write(async (db) => {
        publish(db, "standings");
        const { wallet, registry, agentId } = row;
        await db
          .deleteFrom("linkedAgents")
          .where((eb) =>
            eb.or([eb("wallet", "=", wallet), eb.and([eb("registry", "=", registry), eb("agentId", "=", agentId)])]),
          )
          .execute();
        await db.insertInto("linkedAgents").values(row).execute();
      }),

    find: (wallet) =>
      read(async (db) => {
        const query = db.selectFrom("linkedAgents").selectAll().where("wallet", "=", wallet);
        return (await query.executeTakeFirst()) ?? null;
      }),

    remove: ({ wallet, registry, agentId }) =>
      write(async (db) => {
        publish(db, "standings");
        const query = db
          .deleteFrom("linkedAgents")
          .where("wallet", "=", wallet)
          .where("registry", "=", registry)
          .where("agentId", "=", agentId);
        return (await query.executeTakeFirst()).numDeletedRows === 1n;
      }),

    list: ({ afterWallet, limit }) =>
      read((db) =>
        db
          .selectFrom("linkedAgents")
          .selectAll()
          .$if(afterWallet !== null, (query) => query.where("wallet", ">", afterWallet!))
          .orderBy("wallet")
          .limit(limit)
          .execute(),
      ),
  };
}
