/** All changes of the tables, in order. A released one is never edited: the next change is a new file and a new line. */
import { type Migration, Migrator } from "kysely/migration";
import type { Db } from "../connection.ts";
import * as auth from "./0001-auth.ts";
import * as sessions from "./0002-sessions.ts";
import * as requests from "./0003-requests.ts";
import * as chain from "./0004-chain.ts";
import * as ledgers from "./0005-ledgers.ts";
import * as voting from "./0006-voting.ts";
import * as stats from "./0007-stats.ts";
import * as market from "./0008-market.ts";
import * as moderation from "./0009-moderation.ts";

const MIGRATIONS: Record<string, Migration> = {
  "0001-auth": auth,
  "0002-sessions": sessions,
  "0003-requests": requests,
  "0004-chain": chain,
  "0005-ledgers": ledgers,
  "0006-voting": voting,
  "0007-stats": stats,
  "0008-market": market,
  "0009-moderation": moderation,
};

/**
 * Brings the tables up to date inside the transaction it is given: all of it or nothing.
 * Throws when the database was made by a newer version of the program.
 */
export async function migrate(db: Db): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
