/** The tables of the first release. */
import type { Kysely } from "kysely";
import { createNodeTable } from "../nodes/nodes.ts";
import { createAuthTables } from "./initial/auth.ts";
import { createChainTables } from "./initial/chain.ts";
import { createLeagueTables } from "./initial/league.ts";
import { createLedgers } from "./initial/ledgers.ts";
import { createMarketTables } from "./initial/market.ts";
import { createDeploymentTable, createRateBuckets, createRequestTables } from "./initial/requests.ts";
import { createSessionTables } from "./initial/sessions.ts";
import { createStatsTables } from "./initial/stats.ts";
import { createOperatorTables, createVotingTables } from "./initial/voting.ts";

export async function createInitialTables(db: Kysely<unknown>): Promise<void> {
  await createAuthTables(db);
  await createRequestTables(db);
  await createDeploymentTable(db);
  await createRateBuckets(db);
  await createNodeTable(db);
  await createChainTables(db);
  await createSessionTables(db);
  await createLedgers(db);
  await createVotingTables(db);
  await createLeagueTables(db);
  await createOperatorTables(db);
  await createStatsTables(db);
  await createMarketTables(db);
}
