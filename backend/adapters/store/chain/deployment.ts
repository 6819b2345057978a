/** The deployment that the rows of this store belong to. */
import type { Kysely } from "kysely";
import type { Address } from "viem";
import type { DeploymentKey, DeploymentStore } from "../../../ports/store/deployment.ts";
import type { Connection } from "../connection.ts";
import type { Schema } from "../schema.ts";

const NFT_PREFIX = "nft.";

async function find(db: Kysely<Schema>): Promise<DeploymentKey | null> {
  const rows = await db.selectFrom("deployment").selectAll().orderBy("part").execute();
  if (rows.length === 0) return null;
  const { chainId, identity, rewards, token } = Object.fromEntries(rows.map(({ part, value }) => [part, value]));
  const nft = rows.flatMap(({ part, value }) =>
    part.startsWith(NFT_PREFIX) ? [[part.slice(NFT_PREFIX.length), value as Address]] : [],
  );
  return {
    chainId: Number(chainId),
    identity: identity as Address,
    rewards: rewards as Address,
    token: token as Address,
    nft: Object.fromEntries(nft),
  };
}

export const createDeploymentStore = ({ readOne, writeApart }: Connection): DeploymentStore => ({
  find: () => readOne(find),
  record: ({ chainId, identity, rewards, token, nft }) =>
    writeApart(async (db) => {
      const games = Object.entries(nft).map(([slug, address]) => [`${NFT_PREFIX}${slug}`, address] as const);
      const parts = [
        ["chainId", String(chainId)],
        ["identity", identity],
        ["rewards", rewards],
        ["token", token],
      ];
      await db
        .insertInto("deployment")
        .values([...parts, ...games].map(([part, value]) => ({ part: part!, value: value! })))
        .onConflict((conflict) => conflict.column("part").doNothing())
        .execute();
      return (await find(db))!;
    }),
});
