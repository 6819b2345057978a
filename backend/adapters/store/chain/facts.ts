/** Facts of the chain, read from the stored events. */
import { type RawBuilder, sql } from "kysely";
import type { Address, Hex } from "viem";
import { parseSequence } from "../../../domain/replay/replay.ts";
import type { ChainFactStore, GameToken, PayoutAccount } from "../../../ports/store/chain-facts.ts";
import { IS_SNAPSHOT } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { keepRows } from "../kept-rows.ts";
import { packSequence, unpackUint } from "../numbers.ts";
import type { Db } from "../schema.ts";
import { countIdentities, readIdentity, readOwner, readPrimary, selectNewestOfToken } from "./identities.ts";

const SETS_RECORD: RawBuilder<boolean> = sql<boolean>`name in ('GameNftMinted', 'GameNftUpgraded', 'GameNftAnnulled')`;
const IS_CANCELLATION: RawBuilder<boolean> = sql<boolean>`name in ('SessionCancelled', 'SessionRestored')`;
const IS_PAYOUT: RawBuilder<boolean> = sql<boolean>`name = 'Payout'`;

async function findGameToken(db: Db, slug: string, tokenId: bigint): Promise<GameToken | null> {
  const owner = await readOwner(db, slug, tokenId);
  const record = await selectNewestOfToken(db, slug, tokenId, SETS_RECORD).executeTakeFirst();
  if (owner === null || record === undefined) return null;
  return { owner, score: unpackUint(record.score ?? "0"), tier: record.tier ?? 0 };
}

async function isSequenceConsumed(db: Db, wallet: Address, gameSessionHash: Hex): Promise<boolean> {
  const sequence = packSequence(parseSequence(gameSessionHash));
  const select = (kind: RawBuilder<boolean>) =>
    db
      .selectFrom("chainEvents")
      .select("name")
      .where("wallet", "=", wallet)
      .where(kind)
      .where("sequence", "=", sequence)
      .orderBy("position", "desc")
      .limit(1)
      .executeTakeFirst();
  if ((await select(IS_SNAPSHOT)) !== undefined) return true;
  return (await select(IS_CANCELLATION))?.name === "SessionCancelled";
}

async function getPayoutAccount(db: Db, wallet: Address): Promise<PayoutAccount> {
  const select = (kind: RawBuilder<boolean>, order: "asc" | "desc") =>
    db
      .selectFrom("chainEvents")
      .select(["position", "blockTime", "scorebank"])
      .where("wallet", "=", wallet)
      .where(kind)
      .orderBy("position", order)
      .limit(1)
      .executeTakeFirst();
  const [first, last] = [await select(IS_SNAPSHOT, "asc"), await select(IS_SNAPSHOT, "desc")];
  const payout = await select(IS_PAYOUT, "desc");
  const newest = (payout?.position ?? -1) > (last?.position ?? -1) ? payout : last;
  return {
    scorebank: unpackUint(newest?.scorebank ?? "0"),
    firstPlayAt: first?.blockTime ?? 0,
    lastPayoutAt: payout?.blockTime ?? 0,
    primarySince: (await readPrimary(db, wallet, null)).since,
  };
}

export function createChainFactStore({ read, getVersion }: Connection): ChainFactStore {
  const findPrimaryIdentity = (wallet: Address, block: number | null): Promise<bigint | null> =>
    read(async (db) => (await readPrimary(db, wallet, block)).agentId || null);
  // Most requests with a token ask for it.
  const findLatestPrimaryIdentity = keepRows(
    () => getVersion(["chain_events"]),
    (wallet) => findPrimaryIdentity(wallet as Address, null),
  );
  return {
    findPrimaryIdentity: (wallet, block) =>
      block === undefined ? findLatestPrimaryIdentity(wallet) : findPrimaryIdentity(wallet, block),
    findIdentity: (agentId) => read((db) => readIdentity(db, agentId)),
    countIdentities: (wallet) => read((db) => countIdentities(db, wallet)),
    findGameToken: (slug, tokenId) => read((db) => findGameToken(db, slug, tokenId)),
    isSequenceConsumed: (wallet, gameSessionHash) => read((db) => isSequenceConsumed(db, wallet, gameSessionHash)),
    getPayoutAccount: (wallet) => read((db) => getPayoutAccount(db, wallet)),
  };
}
