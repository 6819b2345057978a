/** Ledgers of signatures, payouts and transactions. */
import type { Kysely } from "kysely";
import {
  IS_FIRST_OPEN_PAYOUT,
  IS_MINT_SIGNING,
  IS_NOT_SETTLED,
  IS_OPEN_COMMAND,
  IS_OPEN_PAYOUT,
} from "../../conditions.ts";
import { defineTable, indexesOf } from "../define-table.ts";

export async function createLedgers(db: Kysely<unknown>): Promise<void> {
  await createSignings(db);
  await createPayouts(db);
  await createTransactions(db);
  await createTransactionOrders(db);
  await createRelays(db);
}

async function createSignings({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`signings:
    kind text, key text, payloadHash text, createdAtMs bigint`
    .addPrimaryKeyConstraint("signingsKey", ["kind", "key"])
    .execute();
  await indexesOf(schema, "signings")("mintSignings", ["createdAtMs"], IS_MINT_SIGNING);
}

async function createPayouts({ schema }: Kysely<unknown>): Promise<void> {
  // `remaining`: the points that stay in the bank after a partial payout.
  await defineTable(schema)`payouts:
    payoutId text key, wallet text, slug text?, status text, transactionId text?, txHash text?, score text,
    amount text, remaining text, createdAtMs bigint, settledAtMs bigint?, reopenedAtMs bigint?`.execute();
  const index = indexesOf(schema, "payouts");
  await index("oneOpenPayout", ["wallet"], IS_FIRST_OPEN_PAYOUT, true);
  await index("openPayouts", ["createdAtMs", "payoutId"], IS_OPEN_PAYOUT);
  await index("openPayoutsOfWallet", ["wallet", "createdAtMs"], IS_OPEN_PAYOUT);
  await index("unsettledPayouts", ["createdAtMs", "payoutId"], IS_NOT_SETTLED);
  await index("unsettledPayoutsOfWallet", ["wallet", "createdAtMs"], IS_NOT_SETTLED);
  await index("payoutsByTxHash", ["txHash", "wallet"]);
}

async function createTransactions({ schema }: Kysely<unknown>): Promise<void> {
  // `cancelledRaw`: the call that a cancellation replaced.
  await defineTable(schema)`transactions:
    id text key, kind text, key text, from text, nonce bigint, to text, data text, value text, raw text, txHash text,
    maxFeePerGas text, maxPriorityFeePerGas text, status text, block bigint?, createdAtMs bigint, sentAtMs bigint?,
    settledAtMs bigint?, lastError text?, cancelledRaw text?`
    .addUniqueConstraint("oneTransactionPerKey", ["kind", "key"])
    .addUniqueConstraint("oneTransactionPerNonce", ["from", "nonce"])
    .execute();
  const index = indexesOf(schema, "transactions");
  await index("unsettledTransactions", ["from", "nonce"], IS_NOT_SETTLED);
  await index("unsettledTransactionsByBlock", ["from", "block"], IS_NOT_SETTLED);
  await index("transactionsByTime", ["from", "createdAtMs"]);
}

/** Orders of the operator for single transactions. */
async function createTransactionOrders({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`transactionOrders:
    orderId text key, transactionId text, action text, who text, requestedAtMs bigint, doneAtMs bigint?, outcome text?`.execute();
  const index = schema.createIndex("openTransactionOrders").on("transactionOrders");
  await index.column("orderId").where(IS_OPEN_COMMAND).execute();
}

/** Transactions of other wallets whose gas the operator pays. */
async function createRelays({ schema }: Kysely<unknown>): Promise<void> {
  await defineTable(schema)`relays:
    relayId text key, kind text, key text, wallet text, identity text, ip text, day bigint, gas bigint,
    transactionId text, createdAtMs bigint`.execute();
  const index = indexesOf(schema, "relays");
  await index("relaysByKey", ["wallet", "kind", "key", "createdAtMs"]);
  // These indexes include the gas, so that a day's sums read only them.
  await index("relaysByDay", ["day", "kind", "gas"]);
  await index("relaysByIdentity", ["day", "identity", "gas"]);
  await index("relaysByAddress", ["day", "ip", "kind", "gas"]);
  await index("relaysByTime", ["createdAtMs"]);
  await index("relaysByWallet", ["day", "wallet", "kind"]);
}
