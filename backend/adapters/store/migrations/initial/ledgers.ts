/** Ledgers of what was signed, paid and sent. */
import type { Kysely } from "kysely";
import {
  IS_FIRST_OPEN_PAYOUT,
  IS_MINT_SIGNING,
  IS_NOT_SETTLED,
  IS_OPEN_COMMAND,
  IS_OPEN_PAYOUT,
  IS_WAITING,
} from "../../conditions.ts";

export async function createLedgers(db: Kysely<unknown>): Promise<void> {
  await createSignings(db);
  await createPayouts(db);
  await createTransactions(db);
  await createTransactionOrders(db);
  await createRelays(db);
}

async function createSignings({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("signings")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("payloadHash", "text", (column) => column.notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("signingsKey", ["kind", "key"])
    .execute();
  await schema.createIndex("mintSignings").on("signings").column("createdAtMs").where(IS_MINT_SIGNING).execute();
}

async function createPayouts({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("payouts")
    .addColumn("payoutId", "text", (column) => column.primaryKey().notNull())
    .addColumn("wallet", "text", (column) => column.notNull())
    .addColumn("slug", "text")
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("transactionId", "text")
    .addColumn("txHash", "text")
    .addColumn("score", "text", (column) => column.notNull())
    .addColumn("amount", "text", (column) => column.notNull())
    // The points that stay in the bank: a payout may pay a portion.
    .addColumn("remaining", "text", (column) => column.notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .addColumn("settledAtMs", "bigint")
    .addColumn("reopenedAtMs", "bigint")
    .execute();
  const index = (name: string) => schema.createIndex(name).on("payouts");
  await index("oneOpenPayout").unique().column("wallet").where(IS_FIRST_OPEN_PAYOUT).execute();
  await index("openPayouts").columns(["createdAtMs", "payoutId"]).where(IS_OPEN_PAYOUT).execute();
  await index("openPayoutsOfWallet").columns(["wallet", "createdAtMs"]).where(IS_OPEN_PAYOUT).execute();
  await index("unsettledPayouts").columns(["createdAtMs", "payoutId"]).where(IS_NOT_SETTLED).execute();
  await index("unsettledPayoutsOfWallet").columns(["wallet", "createdAtMs"]).where(IS_NOT_SETTLED).execute();
  await index("payoutsByTxHash").columns(["txHash", "wallet"]).execute();
}

async function createTransactions({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("transactions")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("from", "text", (column) => column.notNull())
    .addColumn("nonce", "bigint", (column) => column.notNull())
    .addColumn("to", "text", (column) => column.notNull())
    .addColumn("data", "text", (column) => column.notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addColumn("raw", "text", (column) => column.notNull())
    .addColumn("txHash", "text", (column) => column.notNull())
    .addColumn("maxFeePerGas", "text", (column) => column.notNull())
    .addColumn("maxPriorityFeePerGas", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("block", "bigint")
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .addColumn("sentAtMs", "bigint")
    .addColumn("settledAtMs", "bigint")
    .addColumn("lastError", "text")
    // The call that a cancellation took the place of.
    .addColumn("cancelledRaw", "text")
    .addUniqueConstraint("oneTransactionPerKey", ["kind", "key"])
    .addUniqueConstraint("oneTransactionPerNonce", ["from", "nonce"])
    .execute();
  const index = (name: string) => schema.createIndex(name).on("transactions");
  await index("unsettledTransactions").columns(["from", "nonce"]).where(IS_NOT_SETTLED).execute();
  await index("unsettledTransactionsByBlock").columns(["from", "block"]).where(IS_NOT_SETTLED).execute();
  await index("waitingTransactions").columns(["from", "nonce"]).where(IS_WAITING).execute();
  await index("transactionsByTime").columns(["from", "createdAtMs"]).execute();
}

/** What the operator orders for a transaction by hand. */
async function createTransactionOrders({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("transactionOrders")
    .addColumn("orderId", "text", (column) => column.primaryKey().notNull())
    .addColumn("transactionId", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("who", "text", (column) => column.notNull())
    .addColumn("requestedAtMs", "bigint", (column) => column.notNull())
    .addColumn("doneAtMs", "bigint")
    .addColumn("outcome", "text")
    .execute();
  const index = schema.createIndex("openTransactionOrders").on("transactionOrders");
  await index.column("orderId").where(IS_OPEN_COMMAND).execute();
}

/** Transactions of other wallets whose gas the operator pays. */
async function createRelays({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable("relays")
    .addColumn("relayId", "text", (column) => column.primaryKey().notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("wallet", "text", (column) => column.notNull())
    .addColumn("identity", "text", (column) => column.notNull())
    .addColumn("ip", "text", (column) => column.notNull())
    .addColumn("day", "bigint", (column) => column.notNull())
    .addColumn("gas", "bigint", (column) => column.notNull())
    .addColumn("transactionId", "text", (column) => column.notNull())
    .addColumn("createdAtMs", "bigint", (column) => column.notNull())
    .execute();
  const index = (name: string) => schema.createIndex(name).on("relays");
  await index("relaysByKey").columns(["wallet", "kind", "key", "createdAtMs"]).execute();
  // With the gas, so that a day's sums read the indexes only.
  await index("relaysByDay").columns(["day", "kind", "gas"]).execute();
  await index("relaysByIdentity").columns(["day", "identity", "gas"]).execute();
  await index("relaysByAddress").columns(["day", "ip", "kind", "gas"]).execute();
  await index("relaysByTime").column("createdAtMs").execute();
  await index("relaysByWallet").columns(["day", "wallet", "kind"]).execute();
}
