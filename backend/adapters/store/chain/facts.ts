/** Facts of the chain, read from the stored events. */
import { type RawBuilder, sql } from "kysely";
import type { Address, Hex } from "viem";
import { parseSequence } from "../../../domain/replay/replay.ts";
import type { ChainFactStore, GameToken, PayoutAccount } from "../../../ports/store/chain-facts.ts";
import { IS_SNAPSHOT } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { keepRows } from "../kept-rows.ts";
import { packSequence, unpackUint } from "../numbers.ts";
import type { ChainEventTable, Db } from "../schema.ts";
import { defineStatement } from "../statement.ts";
import {
  countIdentities,
  listRegistrations,
  readIdentity,
  readOwner,
  readPrimary,
  selectNewestOfToken,
  selectPrimaryEvents,
  toPrimary,
} from "./identities.ts";

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

type OfWallet = { readonly wallet: Address };
type AccountEvent = Pick<ChainEventTable, "position" | "blockTime" | "scorebank">;

/** The first or the last event of a kind. */
const defineSelectEvent = (kind: RawBuilder<boolean>, order: "asc" | "desc") =>
  defineStatement<OfWallet, AccountEvent>((db, { wallet }) =>
    db
      .selectFrom("chainEvents")
      .select(["position", "blockTime", "scorebank"])
      .where("wallet", "=", wallet)
      .where(kind)
      .orderBy("position", order)
      .limit(1),
  );
const selectFirstSnapshot = defineSelectEvent(IS_SNAPSHOT, "asc");
const selectLastSnapshot = defineSelectEvent(IS_SNAPSHOT, "desc");
const selectLastPayout = defineSelectEvent(IS_PAYOUT, "desc");

async function getPayoutAccount(db: Db, wallet: Address): Promise<PayoutAccount> {
  const [first] = (await selectFirstSnapshot(db, { wallet })).rows;
  const [last] = (await selectLastSnapshot(db, { wallet })).rows;
  const [payout] = (await selectLastPayout(db, { wallet })).rows;
  const newest = (payout?.position ?? -1) > (last?.position ?? -1) ? payout : last;
  return {
    scorebank: unpackUint(newest?.scorebank ?? "0"),
    firstPlayAt: first?.blockTime ?? 0,
    lastPayoutAt: payout?.blockTime ?? 0,
    primarySince: (await readPrimary(db, wallet, null)).since,
  };
}

export function createChainFactStore({ read, readRows, compile, getVersion }: Connection): ChainFactStore {
  const selectEvents = compile(selectPrimaryEvents);
  // Most requests with a token ask for it.
  const findLatestPrimaryIdentity = keepRows(
    () => getVersion(["chain_events"]),
    async (wallet) => toPrimary(await readRows(selectEvents({ wallet: wallet as Address }))).agentId || null,
  );
  return {
    findPrimaryIdentity: (wallet, block) =>
      block === undefined
        ? findLatestPrimaryIdentity(wallet)
        : read(async (db) => (await readPrimary(db, wallet, block)).agentId || null),
    findIdentity: (agentId) => read((db) => readIdentity(db, agentId)),
    listRegistrations: (wallet, uriEnd) => read((db) => listRegistrations(db, wallet, uriEnd)),
    countIdentities: (wallet) => read((db) => countIdentities(db, wallet)),
    findGameToken: (slug, tokenId) => read((db) => findGameToken(db, slug, tokenId)),
    isSequenceConsumed: (wallet, gameSessionHash) => read((db) => isSequenceConsumed(db, wallet, gameSessionHash)),
    getPayoutAccount: (wallet) => read((db) => getPayoutAccount(db, wallet)),
  };
}
