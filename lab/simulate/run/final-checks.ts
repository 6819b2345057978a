/** What must hold at the end of a run, when everything has had time to settle. */
import { createSigningKey } from "../../../backend/adapters/signer/secp256k1.ts";
import type { ModelEvent } from "../chain/encoding.ts";
import { mark, readCoverage } from "./coverage.ts";
import { findExceededDay } from "./day-budget.ts";
import type { Fault } from "./faults.ts";
import { findOpenOrder } from "./operator-orders.ts";
import { findUnchargedCall } from "./sponsorship-checks.ts";
import { Violation } from "./trace.ts";
import { findUnsettled, findWrongCount, findWrongRow } from "./transaction-rows.ts";
import type { World } from "./world.ts";

/** Blocks and polls come every 2 s. */
const HEAD_LAG_BLOCKS = 3;

interface EventRow {
  readonly block_hash: string;
  readonly log_index: number;
  readonly name: string;
  readonly tx_hash: string;
}

/** The events that a sync from scratch would store, in the chain's order. */
function listExpected({ chain: { blocks }, deployment }: World, last: number): readonly string[] {
  return blocks
    .slice(deployment.startBlock, last + 1)
    .flatMap(({ hash, transactions }) =>
      transactions.flatMap(({ events, firstLogIndex, hash: txHash }) =>
        events.map(({ name }: ModelEvent, index) => [hash, firstLogIndex + index, name, txHash].join(" ")),
      ),
    );
}

/** Null if the derived rows match the chain; newer events than those of block `last` may be missing. */
export function findDerivedDifference(world: World, last = world.chain.head.number): string | null {
  const { disk, chain } = world;
  const sql = "select block_hash, log_index, name, tx_hash from chain_events order by position";
  const rows = disk.database.prepare(sql).all() as readonly EventRow[];
  const stored = rows.map(({ block_hash, log_index, name, tx_hash }) =>
    [block_hash, log_index, name, tx_hash].join(" "),
  );
  const expected = listExpected(world, chain.head.number);
  const [isStored, isExpected] = [new Set(stored), new Set(expected)];
  const missing = listExpected(world, last).find((event) => !isStored.has(event));
  if (missing !== undefined) return `not stored: ${missing}`;
  const superfluous = stored.find((event) => !isExpected.has(event));
  if (superfluous !== undefined) return `stored and not on chain: ${superfluous}`;
  return stored.length <= expected.length ? null : `${stored.length} rows of ${expected.length}`;
}

/** Null if each transaction that the store marks as included is in a block. */
export function findOrphanedTransaction({ disk, chain }: World): string | null {
  const sql = "select tx_hash from transactions where status = 'included'";
  const rows = disk.database.prepare(sql).all() as readonly Pick<TransactionRow, "tx_hash">[];
  const orphan = rows.find(({ tx_hash }) => chain.find(tx_hash) === null);
  return orphan === undefined ? null : `${orphan.tx_hash} is in no block`;
}

/** Null if no block has a transaction that waits in the store. */
export function findUnnotedTransaction({ disk, chain }: World): string | null {
  const sql = "select tx_hash from transactions where status in ('queued', 'sent')";
  const rows = disk.database.prepare(sql).all() as readonly Pick<TransactionRow, "tx_hash">[];
  const mined = rows.find(({ tx_hash }) => chain.find(tx_hash) !== null);
  return mined === undefined ? null : `${mined.tx_hash} is in a block`;
}

/** Null if no open payout has a transaction that has ended. */
export function findUnnotedPayout({ disk }: World): string | null {
  const sql = `select payout_id from payouts left join transactions on transactions.id = payouts.transaction_id
    where payouts.status in ('pending', 'sent') and (transactions.id is null or transactions.status in ('included', 'failed'))`;
  const row = disk.database.prepare(sql).get() as { readonly payout_id: string } | undefined;
  return row === undefined ? null : `payout ${row.payout_id} is open`;
}

/** Null if each open payout has a transaction. */
export function findUnsentPayout({ disk }: World): string | null {
  const sql = "select payout_id from payouts where status = 'pending' and transaction_id is null";
  const row = disk.database.prepare(sql).get() as { readonly payout_id: string } | undefined;
  return row === undefined ? null : `payout ${row.payout_id} has no transaction`;
}

/** Null if a backend has stored a recent block, allowing for a lag of some polls. */
export function findOldHead({ disk, chain }: World): string | null {
  const { number } = disk.database.prepare("select max(number) as number from blocks").get() as {
    number: number | null;
  };
  return (number ?? 0) >= chain.head.number - HEAD_LAG_BLOCKS ? null : `block ${number} is the last one`;
}

interface TransactionRow {
  readonly id: string;
  readonly status: string;
  readonly nonce: number;
  readonly tx_hash: `0x${string}`;
}

/** Null if the first waiting transaction in the store, or one in a node, has the operator's next nonce. */
export function findNonceGap({ disk, chain }: World): string | null {
  const { operator } = chain.contracts.config;
  const sql = `select min(nonce) as nonce from transactions where "from" = ? and status in ('queued', 'sent')`;
  const { nonce: first } = disk.database.prepare(sql).get(operator) as { readonly nonce: number | null };
  const next = chain.getNonce(operator);
  if (first === null || first <= next) return null;
  return chain.getPendingNonce(operator) > next ? null : `nonces ${next} to ${first - 1} of the operator are missing`;
}

/** Null if no transaction of the operator waits, and each row matches the chain. */
function findTransactionDifference({ disk, chain, sentByHand }: World): string | null {
  const rows = disk.database
    .prepare("select id, status, nonce, tx_hash from transactions")
    .all() as readonly TransactionRow[];
  for (const { id, status, nonce, tx_hash } of rows) {
    if (status === "queued" || status === "sent") return `transaction ${id} (nonce ${nonce}) is ${status}`;
    const mined = chain.find(tx_hash);
    if (status === "included" && (mined === null || mined.transaction.revert !== null))
      return `transaction ${id} is included in the store and not on chain`;
  }
  const { operator } = chain.contracts.config;
  // One sent by hand may wait behind a nonce that a reorganization has freed. No call of the service waits for it.
  const waiting = [...chain.pool.values()].find(({ from, hash }) => from === operator && !sentByHand.has(hash));
  return waiting === undefined ? null : `nonce ${waiting.nonce} of the operator waits`;
}

/** Payouts whose row is not that of their transaction, or of its event. One that was never sent has no transaction. */
const OTHER_PAYOUT = `select p.payout_id from payouts p left join transactions t on t.id = p.transaction_id
  left join chain_events e on e.tx_hash = p.tx_hash and e.name = 'Payout' and e.wallet = p.wallet
  where iif(t.id is null, p.status <> 'failed' or p.settled_at_ms is null, t.kind <> 'payout' or t.key <> p.payout_id
    or t.tx_hash <> p.tx_hash or t.status <> p.status or (t.settled_at_ms is null) <> (p.settled_at_ms is null))
  or (p.status = 'included' and (e.score, e.amount, e.scorebank) is not (p.score, p.amount, p.remaining))`;

/** Null if every payout in the store is on chain exactly once. */
function findPayoutDifference({ disk, chain }: World): string | null {
  const other = disk.database.prepare(OTHER_PAYOUT).get() as { readonly payout_id: string } | undefined;
  if (other !== undefined) return `payout ${other.payout_id} differs from its transaction`;
  const sql = "select payout_id, status, tx_hash from payouts";
  const rows = disk.database.prepare(sql).all() as readonly { payout_id: string; status: string; tx_hash: string }[];
  const open = rows.find(({ status }) => status === "pending" || status === "sent");
  if (open !== undefined) return `payout ${open.payout_id} is ${open.status}`;
  const paid = rows.filter(({ status }) => status === "included").map(({ tx_hash }) => tx_hash);
  const onChain = chain.blocks.flatMap(({ transactions }) =>
    transactions.filter(({ events }) => events.some(({ name }) => name === "Payout")).map(({ hash }) => hash as string),
  );
  if (new Set(paid).size !== paid.length) return "two payouts share a transaction";
  const unknown = paid.find((hash) => !onChain.includes(hash));
  if (unknown !== undefined) return `no payout in ${unknown}`;
  const untold = onChain.find((hash) => !paid.includes(hash));
  return untold === undefined ? null : `the store does not know the payout in ${untold}`;
}

/** Null if no transaction is from an account that has lost its role: it could only fail. */
function findUselessTransaction({ chain, fixtures, plan }: World): string | null {
  // A node that is behind may lack the state in which the role is checked.
  if (plan.some(({ kind }) => kind === "node behind")) return null;
  const { address } = createSigningKey(fixtures.formerKeys.withoutRole);
  return chain.getNonce(address) === 0 ? null : `${address} has sent one`;
}

/** The checks that need time to become true, by invariant. */
const SETTLING = {
  "the operator signs no more calls a day than allowed": findExceededDay,
  "derived rows equal a fresh resync": findDerivedDifference,
  "no nonce gap outlives its repair": findTransactionDifference,
  "every payout is settled": findPayoutDifference,
  "every sponsored call is charged": findUnchargedCall,
  "every order of the operator is carried out": findOpenOrder,
  "nothing is sent for an account without its role": findUselessTransaction,
  "rows of transactions match the chain": findWrongRow,
  "the watch over transactions ends": findUnsettled,
  "metrics count what has happened": findWrongCount,
} as const;

/** How a node may show that an included transaction is not, although no block was replaced. */
const UNDOING: readonly Fault["kind"][] = ["receipt missing once", "node behind"];

/** Null unless an included payout went back to `sent` without a reorganization. */
function findUndonePayout({ chain, plan }: World): string | null {
  const isPossible = chain.dropped.length > 0 || plan.some(({ kind }) => UNDOING.includes(kind));
  const undone = readCoverage()["transition payouts: included → sent"];
  return isPossible || undone === undefined ? null : `${undone.times} times`;
}

export function checkSettled(world: World): void {
  const undone = findUndonePayout(world);
  if (undone !== null) world.fail(new Violation("only a reorganization undoes a payout", undone));
  for (const [invariant, find] of Object.entries(SETTLING)) {
    mark("check", invariant);
    const difference = find(world);
    if (difference !== null) world.fail(new Violation(invariant, difference));
  }
}

export const isSettled = (world: World): boolean => Object.values(SETTLING).every((find) => find(world) === null);
