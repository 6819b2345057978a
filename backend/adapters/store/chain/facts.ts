/** Facts of the chain, read from the stored events. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Address, Hex } from "viem";
import { parseSequence } from "../../../../domain/replay/replay.ts";
import type { ChainFactStore, GameToken, PayoutAccount } from "../../../ports/store/chain-facts.ts";
import { IS_SNAPSHOT } from "../conditions.ts";
import type { Connection } from "../connection.ts";
import { packSequence, packUint, unpackUint } from "../numbers.ts";
import type { ChainEventTable, Db, Schema } from "../schema.ts";
import { defineStatement } from "../statement.ts";
import { findBank } from "./bank-rows.ts";
import {
  listIdentities,
  listRegistrations,
  readPrimary,
  selectIdentityEvents,
  selectNewest,
  selectPrimaryEvents,
  type TokenEvent,
  toIdentity,
  toOwner,
  toPrimary,
} from "./identities.ts";

const IS_CANCELLATION: RawBuilder<boolean> = sql<boolean>`name in ('SessionCancelled', 'SessionRestored')`;
const IS_PAYOUT: RawBuilder<boolean> = sql<boolean>`name = 'Payout'`;

interface OfToken {
  readonly slug: string;
  readonly tokenId: string;
}

/** A token's last transfer and its record, if any. */
function selectTokenEvents(db: Kysely<Schema>, { slug, tokenId }: OfToken) {
  const ofToken = sql<boolean>`slug = ${slug} and token_id = ${tokenId}`;
  const setsRecord = sql<boolean>`name in ('GameNftMinted', 'GameNftUpgraded', 'GameNftAnnulled')`;
  return selectNewest(db, sql`${ofToken} and name = 'Transfer'`)
    .selectAll()
    .unionAll(selectNewest(db, sql`${ofToken} and ${setsRecord}`).selectAll());
}

function toGameToken(events: readonly TokenEvent[]): GameToken | null {
  const owner = toOwner(events.find(({ name }) => name === "Transfer"));
  const record = events.find(({ name }) => name !== "Transfer");
  if (owner === null || record === undefined) return null;
  return { owner, score: unpackUint(record.score ?? "0"), tier: record.tier ?? 0 };
}

interface OfSequence {
  readonly wallet: Address;
  readonly sequence: string;
}

/** The last event of a kind that has the wallet's sequence. */
const defineSelectOfSequence = (kind: RawBuilder<boolean>) =>
  defineStatement<OfSequence, Pick<ChainEventTable, "name">>((db, { wallet, sequence }) =>
    db
      .selectFrom("chainEvents")
      .select("name")
      .where("wallet", "=", wallet)
      .where(kind)
      .where("sequence", "=", sequence)
      .orderBy("position", "desc")
      .limit(1),
  );
const selectSnapshotOfSequence = defineSelectOfSequence(IS_SNAPSHOT);
const selectCancellation = defineSelectOfSequence(IS_CANCELLATION);

async function isSequenceConsumed(db: Db, wallet: Address, gameSessionHash: Hex): Promise<boolean> {
  const values = { wallet, sequence: packSequence(parseSequence(gameSessionHash)) };
  if ((await selectSnapshotOfSequence(db, values)).rows.length > 0) return true;
  const [last] = (await selectCancellation(db, values)).rows;
  return last?.name === "SessionCancelled";
}

type OfWallet = { readonly wallet: Address };

/** The first or the last event of a kind. */
const defineSelectEvent = (kind: RawBuilder<boolean>, order: "asc" | "desc") =>
  defineStatement<OfWallet, Pick<ChainEventTable, "blockTime">>((db, { wallet }) =>
    db
      .selectFrom("chainEvents")
      .select("blockTime")
      .where("wallet", "=", wallet)
      .where(kind)
      .orderBy("position", order)
      .limit(1),
  );
const selectFirstSnapshot = defineSelectEvent(IS_SNAPSHOT, "asc");
const selectLastPayout = defineSelectEvent(IS_PAYOUT, "desc");

async function getPayoutAccount(db: Db, wallet: Address): Promise<PayoutAccount> {
  const [first] = (await selectFirstSnapshot(db, { wallet })).rows;
  const [payout] = (await selectLastPayout(db, { wallet })).rows;
  return {
    scorebank: unpackUint((await findBank(db, wallet))?.score ?? "0"),
    firstPlayAt: first?.blockTime ?? 0,
    lastPayoutAt: payout?.blockTime ?? 0,
    primarySince: (await readPrimary(db, wallet, null)).since,
  };
}

export function createChainFactStore({ read, readRows, compile }: Connection): ChainFactStore {
  const selectEvents = compile(selectPrimaryEvents);
  const selectOfIdentity = compile<{ readonly tokenId: string }, TokenEvent>(selectIdentityEvents);
  const selectOfToken = compile<OfToken, TokenEvent>(selectTokenEvents);
  return {
    async findPrimaryIdentity(wallet, block) {
      // The case of most requests with a token.
      if (block === undefined) return toPrimary(await readRows(selectEvents({ wallet }))).agentId || null;
      return await read(async (db) => (await readPrimary(db, wallet, block)).agentId || null);
    },
    findIdentity: async (agentId) => toIdentity(await readRows(selectOfIdentity({ tokenId: packUint(agentId) }))),
    listRegistrations: (wallet, uriEnd) => read((db) => listRegistrations(db, wallet, uriEnd)),
    listIdentities: (wallet) => read((db) => listIdentities(db, wallet)),
    findGameToken: async (slug, tokenId) =>
      toGameToken(await readRows(selectOfToken({ slug, tokenId: packUint(tokenId) }))),
    isSequenceConsumed: (wallet, gameSessionHash) => read((db) => isSequenceConsumed(db, wallet, gameSessionHash)),
    getPayoutAccount: (wallet) => read((db) => getPayoutAccount(db, wallet)),
  };
}
