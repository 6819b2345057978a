/** Opens the store. The one door of this folder. */
import type { Store } from "../../ports.ts";
import { makeAuthStore } from "./auth.ts";
import { makeChainStore } from "./chain-events.ts";
import { makeChannelTokenStore } from "./channel-tokens.ts";
import { type ConnectionOptions, makeConnection } from "./connection.ts";
import { toStorageError } from "./failures.ts";
import { makeIdempotencyStore } from "./idempotency.ts";
import { makeIdentityStore } from "./identities.ts";
import { makeListingStore } from "./listings.ts";
import { migrate } from "./migrations/index.ts";
import { makeOperatorStore } from "./operator.ts";
import { makePayoutStore } from "./payouts.ts";
import { makeSessionStore } from "./sessions.ts";
import { makeSigningStore } from "./signings.ts";
import { makeSqliteDialect, openSqliteFile } from "./sqlite.ts";
import { makeStandingStore } from "./standings.ts";
import { makeNewsletterStore, makeTelemetryStore } from "./telemetry.ts";
import { makeTransactionStore } from "./transactions.ts";
import { makeVotingStore } from "./voting.ts";

export interface StoreOptions {
  /** `sqlite:PATH`, or `sqlite::memory:` for a store that ends with the process. */
  readonly databaseUrl: string;
  /** How long a call waits for another process's lock; 5,000 unless told. */
  readonly busyWaitMs?: number;
  readonly onQuery?: ConnectionOptions["onQuery"];
}

/**
 * Opens the database, creating it and bringing its tables up to date first.
 * Throws an Error on an address it cannot serve, `STORAGE_BUSY` or `STORAGE_FULL` when the file cannot be used.
 */
export async function openStore({ databaseUrl, busyWaitMs = 5_000, onQuery }: StoreOptions): Promise<Store> {
  // Without a disk there is nothing to share.
  const restMaxMs = databaseUrl === "sqlite::memory:" ? 0 : undefined;
  const connection = makeConnection(openDialect(databaseUrl), { busyWaitMs, restMaxMs, onQuery });
  try {
    await connection.write(migrate);
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    auth: makeAuthStore(connection),
    sessions: makeSessionStore(connection),
    channelTokens: makeChannelTokenStore(connection),
    idempotency: makeIdempotencyStore(connection),
    identities: makeIdentityStore(connection),
    listings: makeListingStore(connection),
    signings: makeSigningStore(connection),
    chain: makeChainStore(connection),
    standings: makeStandingStore(connection),
    telemetry: makeTelemetryStore(connection),
    newsletter: makeNewsletterStore(connection),
    payouts: makePayoutStore(connection),
    transactions: makeTransactionStore(connection),
    voting: makeVotingStore(connection),
    operator: makeOperatorStore(connection),
    probe: () =>
      connection.write(async (db) => {
        await db.insertInto("probes").values({ id: 1 }).execute();
        await db.deleteFrom("probes").where("id", "=", 1).execute();
      }),
    close: () => connection.close(),
  };
}

function openDialect(databaseUrl: string) {
  // The address is not repeated in the sentence: it may hold a password.
  if (/^postgres(ql)?:/.test(databaseUrl)) {
    throw new Error(
      "The store works on SQLite so far, PostgreSQL is not supported yet: set the database to sqlite:PATH.",
    );
  }
  if (!/^sqlite:./.test(databaseUrl)) throw new Error("The store expects a database address of the form sqlite:PATH.");
  try {
    return makeSqliteDialect(openSqliteFile(databaseUrl));
  } catch (error) {
    throw toStorageError(error);
  }
}
