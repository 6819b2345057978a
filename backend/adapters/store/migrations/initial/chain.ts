/** Blocks and events of the chain, and sums over the events. */
import type { Kysely } from "kysely";
import { IS_REGISTRATION, IS_SNAPSHOT } from "../../conditions.ts";
import { defineTable, indexesOf } from "../define-table.ts";

export async function createChainTables(db: Kysely<unknown>): Promise<void> {
  await createEvents(db);
  await createSums(db);
}

async function createEvents({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`blocks:
    number bigint key, hash text`.execute();

  await defineTable(schema)`chainEvents:
    block bigint, blockHash text, blockTime bigint, txHash text, logIndex integer, position bigint, name text,
    wallet text, slug text?, gameSessionHash text?, sequence text?, tokenId text?, tier integer?, score text?,
    scorebank text?, amount text?, uri text?`
    .addPrimaryKeyConstraint("chainEventsKey", ["txHash", "logIndex", "blockHash"])
    .execute();

  const index = indexesOf(schema, "chainEvents");
  await index("eventsByBlock", ["block"]);
  await index("eventsOfWallet", ["wallet", "name", "position"]);
  await index("eventsOfToken", ["slug", "tokenId", "position"]);
  await index("oneSnapshotPerSession", ["gameSessionHash", "wallet"], IS_SNAPSHOT, true);
  await index("snapshotSequences", ["wallet", "sequence"], IS_SNAPSHOT);
  await index("snapshotsOfGame", ["wallet", "slug", "position"], IS_SNAPSHOT);
  await index("registrations", ["block"], IS_REGISTRATION);
}

async function createSums({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`chainTotals:
    block bigint key, blockTime bigint, snapshots bigint, payouts bigint, paid text`.execute();
  await indexesOf(schema, "chainTotals")("chainTotalsByTime", ["blockTime", "block"]);

  // A wallet's bank after each of its events, so that reading it costs the same with any number of snapshots.
  await defineTable(schema)`scorebanks:
    wallet text, position bigint, block bigint, score text, snapshots bigint, lastSnapshotAt bigint?, byGame text,
    paidByGame text?, oldestPosition bigint?, oldestPoints text?`
    .addPrimaryKeyConstraint("scorebanksKey", ["wallet", "position"])
    .execute();
  await indexesOf(schema, "scorebanks")("scorebanksByBlock", ["block"]);
}
