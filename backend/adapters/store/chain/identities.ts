/** Identities, from the events of their contract. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import { type Address, zeroAddress } from "viem";
import type { IdentityToken } from "../../../ports/store/chain-facts.ts";
import { IS_REGISTRATION } from "../conditions.ts";
import { unpackOrNull } from "../numbers.ts";
import type { ChainEventTable, Db, Schema } from "../schema.ts";
import { defineStatement } from "../statement.ts";

const LISTED_MAX = 100;
const REGISTRATIONS_MAX = 100;
const DIGEST_FILE = /[0-9a-f]{64}\.json$/;

export interface PrimaryIdentity {
  /** 0: the wallet has none. */
  readonly agentId: bigint;
  /** Unix seconds. */
  readonly since: number;
}

type PrimaryEvent = Pick<ChainEventTable, "name" | "tokenId" | "blockTime">;

/** The events that determine a wallet's primary identity, in the order of the chain. */
export const selectPrimaryEvents = (db: Kysely<Schema>, { wallet }: { readonly wallet: Address }) =>
  db
    .selectFrom("chainEvents")
    .select(["name", "tokenId", "blockTime"])
    .where("wallet", "=", wallet)
    .where(sql<boolean>`name in ('Registered', 'PrimaryIdentitySet')`)
    .orderBy("position");

const selectAllPrimaryEvents = defineStatement<{ readonly wallet: Address }, PrimaryEvent>(selectPrimaryEvents);

/** The primary identity after these events. */
export function toPrimary(events: readonly PrimaryEvent[]): PrimaryIdentity {
  let agentId = 0n;
  let since = 0;
  for (const { name, tokenId, blockTime } of events) {
    // A mint makes the new identity the primary one only if the wallet had none.
    if (name !== "PrimaryIdentitySet" && agentId !== 0n) continue;
    agentId = unpackOrNull(tokenId) ?? 0n;
    since = blockTime;
  }
  return { agentId, since: agentId === 0n ? 0 : since };
}

/** The wallet's primary identity after the block, and since when. */
export async function readPrimary(db: Db, wallet: Address, block: number | null): Promise<PrimaryIdentity> {
  if (block === null) return toPrimary((await selectAllPrimaryEvents(db, { wallet })).rows);
  return toPrimary(await selectPrimaryEvents(db, { wallet }).where("block", "<=", block).execute());
}

export type TokenEvent = Pick<ChainEventTable, "name" | "wallet" | "uri" | "score" | "tier" | "position">;

/** The newest event that meets the condition, as part of a statement. */
export const selectNewest = (db: Kysely<Schema>, condition: RawBuilder<boolean>) =>
  db.selectFrom(
    db
      .selectFrom("chainEvents")
      .select(["name", "wallet", "uri", "score", "tier", "position"])
      .where(condition)
      .orderBy("position", "desc")
      .limit(sql<number>`1`)
      .as("newest"),
  );

/** Conditions of the events of identities and of the contract's base URI, which have no game. */
const ofIdentity = (tokenId: string): RawBuilder<boolean> => sql`slug is null and token_id = ${tokenId}`;
const SETS_BASE: RawBuilder<boolean> = sql<boolean>`slug is null and token_id is null and name = 'BaseURISet'`;

const selectOwner = (db: Kysely<Schema>, { tokenId }: { readonly tokenId: string }) =>
  selectNewest(db, sql`${ofIdentity(tokenId)} and name = 'Transfer'`).selectAll();

const selectOwnerEvent = defineStatement<{ readonly tokenId: string }, TokenEvent>(selectOwner);

/** The events that determine an identity's owner and URI: one row of each kind, if any. */
export const selectIdentityEvents = (db: Kysely<Schema>, { tokenId }: { readonly tokenId: string }) =>
  selectOwner(db, { tokenId })
    .unionAll(selectNewest(db, sql`${ofIdentity(tokenId)} and name in ('Registered', 'URIUpdated')`).selectAll())
    .unionAll(selectNewest(db, SETS_BASE).selectAll());

/** The owner of a token after its last transfer; null if there is none. */
export const toOwner = (transfer: TokenEvent | undefined): Address | null =>
  transfer === undefined || transfer.wallet === zeroAddress ? null : transfer.wallet;

/** An identity's current URI: one derived from the contract's base URI follows changes of the base. */
function toTokenUri(set: TokenEvent | undefined, base: TokenEvent | undefined): string | null {
  const uri = set?.uri || null;
  if (set === undefined || uri === null || set.name !== "Registered") return uri;
  const file = DIGEST_FILE.exec(uri)?.[0];
  return base === undefined || base.position < set.position || file === undefined ? uri : `${base.uri ?? ""}${file}`;
}

/** `events`: those of `selectIdentityEvents`. Null if the identity does not exist. */
export function toIdentity(events: readonly TokenEvent[]): IdentityToken | null {
  const owner = toOwner(events.find(({ name }) => name === "Transfer"));
  if (owner === null) return null;
  const set = events.find(({ name }) => name === "Registered" || name === "URIUpdated");
  const base = events.find(({ name }) => name === "BaseURISet");
  return { owner, tokenURI: toTokenUri(set, base) };
}

/** `uriEnd`: must not contain SQL wildcards. */
export async function listRegistrations(db: Db, wallet: Address, uriEnd: string): Promise<readonly bigint[]> {
  const rows = await db
    .selectFrom("chainEvents")
    .select("tokenId")
    .where("wallet", "=", wallet)
    .where(IS_REGISTRATION)
    .where("uri", "like", `%${uriEnd}`)
    .orderBy("position")
    .limit(REGISTRATIONS_MAX)
    .execute();
  return rows.map(({ tokenId }) => unpackOrNull(tokenId)!);
}

export async function listIdentities(db: Db, wallet: Address): Promise<readonly bigint[]> {
  const received = await db
    .selectFrom("chainEvents")
    .select("tokenId")
    .distinct()
    .where("wallet", "=", wallet)
    .where(sql<boolean>`name = 'Transfer'`)
    .where("slug", "is", null)
    .limit(LISTED_MAX)
    .execute();
  const owned: bigint[] = [];
  for (const { tokenId } of received) {
    const [transfer] = (await selectOwnerEvent(db, { tokenId: tokenId! })).rows;
    if (toOwner(transfer) === wallet) owned.push(unpackOrNull(tokenId)!);
  }
  return owned.sort((one, other) => (one < other ? -1 : 1));
}
