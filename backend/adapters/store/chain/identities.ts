/** Identities, as the events of their contract tell. */
import { sql } from "kysely";
import type { Address } from "viem";
import { unpackOrNull } from "../numbers.ts";
import type { Db } from "../schema.ts";

/** The wallet's primary identity after the block; null where it has none. */
export async function readPrimaryIdentity(db: Db, wallet: Address, block: number | null): Promise<bigint | null> {
  const events = await db
    .selectFrom("chainEvents")
    .select(["name", "tokenId"])
    .where("wallet", "=", wallet)
    .where(sql<boolean>`name in ('Registered', 'PrimaryIdentitySet')`)
    .$if(block !== null, (query) => query.where("block", "<=", block!))
    .orderBy("position")
    .execute();
  let primary = 0n;
  for (const { name, tokenId } of events) {
    // A mint makes the new identity the primary one only where the wallet had none.
    if (name === "PrimaryIdentitySet" || primary === 0n) primary = unpackOrNull(tokenId) ?? 0n;
  }
  return primary === 0n ? null : primary;
}
