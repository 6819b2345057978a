/** Identities, as the events of their contract tell. */
import { type Kysely, type RawBuilder, sql } from "kysely";
import { type Address, zeroAddress } from "viem";
import type { IdentityToken } from "../../../ports/store/chain-facts.ts";
import { IS_REGISTRATION } from "../conditions.ts";
import { packUint, unpackOrNull } from "../numbers.ts";
import type { ChainEventTable, Db, Schema } from "../schema.ts";
import { defineStatement } from "../statement.ts";

const COUNTED_MAX = 100;
const REGISTRATIONS_MAX = 100;
const DIGEST_FILE = /[0-9a-f]{64}\.json$/;

export interface PrimaryIdentity {
  /** 0: the wallet has none. */
  readonly agentId: bigint;
  /** Unix seconds. */
  readonly since: number;
}

type PrimaryEvent = Pick<ChainEventTable, "name" | "tokenId" | "blockTime">;

/** What has decided over a wallet's primary identity, in the order of the chain. */
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
  let [agentId, since] = [0n, 0];
  for (const { name, tokenId, blockTime } of events) {
    // A mint makes the new identity the primary one only where the wallet had none.
    if (name === "PrimaryIdentitySet" || agentId === 0n) [agentId, since] = [unpackOrNull(tokenId) ?? 0n, blockTime];
  }
  return { agentId, since: agentId === 0n ? 0 : since };
}

/** The wallet's primary identity after the block, and since when. */
export async function readPrimary(db: Db, wallet: Address, block: number | null): Promise<PrimaryIdentity> {
  if (block === null) return toPrimary((await selectAllPrimaryEvents(db, { wallet })).rows);
  return toPrimary(await selectPrimaryEvents(db, { wallet }).where("block", "<=", block).execute());
}

/** The newest event of a token that fulfills the condition. `slug` null: of an identity. */
export const selectNewestOfToken = (db: Db, slug: string | null, tokenId: bigint | null, kind: RawBuilder<boolean>) =>
  db
    .selectFrom("chainEvents")
    .select(["name", "wallet", "uri", "score", "tier", "position"])
    .where("slug", slug === null ? "is" : "=", slug)
    .where("tokenId", tokenId === null ? "is" : "=", tokenId === null ? null : packUint(tokenId))
    .where(kind)
    .orderBy("position", "desc")
    .limit(1);

const IS_TRANSFER: RawBuilder<boolean> = sql<boolean>`name = 'Transfer'`;
const SETS_URI: RawBuilder<boolean> = sql<boolean>`name in ('Registered', 'URIUpdated')`;
const SETS_BASE: RawBuilder<boolean> = sql<boolean>`name = 'BaseURISet' and slug is null`;

/** The owner of a token; null where there is none. */
export async function readOwner(db: Db, slug: string | null, tokenId: bigint): Promise<Address | null> {
  const transfer = await selectNewestOfToken(db, slug, tokenId, IS_TRANSFER).executeTakeFirst();
  return transfer === undefined || transfer.wallet === zeroAddress ? null : transfer.wallet;
}

/** The URI that an identity has now: one made of the contract's base follows that base. */
async function readTokenUri(db: Db, agentId: bigint): Promise<string | null> {
  const set = await selectNewestOfToken(db, null, agentId, SETS_URI).executeTakeFirst();
  const uri = set?.uri || null;
  if (set === undefined || uri === null || set.name !== "Registered") return uri;
  const base = await selectNewestOfToken(db, null, null, SETS_BASE).executeTakeFirst();
  const file = DIGEST_FILE.exec(uri)?.[0];
  return base === undefined || base.position < set.position || file === undefined ? uri : `${base.uri ?? ""}${file}`;
}

export async function readIdentity(db: Db, agentId: bigint): Promise<IdentityToken | null> {
  const owner = await readOwner(db, null, agentId);
  return owner === null ? null : { owner, tokenURI: await readTokenUri(db, agentId) };
}

/** `uriEnd`: without the wildcards of SQL. */
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

export async function countIdentities(db: Db, wallet: Address): Promise<number> {
  const received = await db
    .selectFrom("chainEvents")
    .select("tokenId")
    .distinct()
    .where("wallet", "=", wallet)
    .where(IS_TRANSFER)
    .where("slug", "is", null)
    .limit(COUNTED_MAX)
    .execute();
  let count = 0;
  for (const { tokenId } of received) if ((await readOwner(db, null, unpackOrNull(tokenId)!)) === wallet) count += 1;
  return count;
}
