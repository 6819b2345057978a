/** Finds rows of the operator's transactions that do not match the chain. */
import { type Hex, parseGwei } from "viem";
import { type Chain, type ModelBlock, NodeError, parseSent } from "../chain/chain.ts";
import { FINAL_DEPTH } from "../chain/node.ts";
import type { Disk } from "../world/disk.ts";
import type { EventLoop } from "../world/event-loop.ts";
import { countChanges } from "./coverage.ts";
import type { Fault, FaultPlan, WindowKind } from "./faults.ts";
import type { Fixtures } from "./fixtures.ts";

interface Manager {
  counts(): { readonly [name in "included" | "failed" | "reorganized" | "refused" | "aboveFeeCap" | "bumped"]: number };
}

/** The parts of a simulated world that the checks read. */
export interface TransactionWorld {
  readonly seed: number;
  readonly stage: string | null;
  readonly plan: FaultPlan;
  readonly chain: Chain;
  readonly disk: Disk;
  readonly loop: EventLoop;
  readonly fixtures: Fixtures;
  readonly sentByHand: ReadonlySet<Hex>;
  readonly openPayouts: ReadonlySet<number>;
  readonly requests: number;
  isActive(kind: WindowKind, sinceMs?: number): boolean;
  readonly node: { readonly lookUps: number; wasAwaited(sinceMs: number): boolean };
  readonly backends: {
    readonly isAlone: boolean;
    readonly running: readonly {
      readonly backend: {
        readonly process: { readonly name: string };
        readonly parts: { readonly chain: { readonly writer: Manager } };
      };
    }[];
    readonly changesAtStart: readonly number[];
  };
}

export interface Row {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly from: Hex;
  readonly nonce: number;
  readonly to: Hex;
  readonly data: Hex;
  readonly raw: Hex;
  readonly tx_hash: Hex;
  readonly block: number | null;
  readonly settled_at_ms: number | null;
  readonly last_error: string | null;
  readonly cancelled_raw: Hex | null;
}

const ROWS = `select id, kind, status, "from", nonce, "to", data, raw, tx_hash, block, settled_at_ms, last_error,
  cancelled_raw from transactions`;
export const WAITING = `${ROWS} where status in ('queued', 'sent') order by nonce`;
const SETTLED = `${ROWS} where settled_at_ms is not null and block > ?`;
const UNSETTLED = `${ROWS} where settled_at_ms is null`;
type LeftFault = Extract<Fault, { readonly kind: "transactions left" }>;

export const findLeft = (plan: FaultPlan): LeftFault | undefined =>
  plan.find((fault): fault is LeftFault => fault.kind === "transactions left");

/** The price of the operator's own; null if it is the network's. */
export function findOwnPrice(plan: FaultPlan): bigint | null {
  const { ownGwei } = findLeft(plan) ?? {};
  return ownGwei === undefined ? null : parseGwei(String(ownGwei));
}

/** The data of a former operator's call that the policy does not allow. */
export const FORBIDDEN = "0xdeadbeef";
/** The hash of a transaction of another program, which uses the nonce of that call and sends its own again. */
export const OTHER_PROGRAM: Hex = `0x${"f0".repeat(32)}`;
const OPEN_ORDER = "select order_id from transaction_orders where done_at_ms is null";

export const list = ({ disk }: TransactionWorld, sql: string, ...parameters: readonly number[]): readonly Row[] =>
  disk.database.prepare(sql).all(...parameters) as readonly Row[];

/** Whether no nonce is missing before it. The operator can raise the fees of no other account. */
const isNext = (chain: Chain, { from, nonce }: Row): boolean =>
  from === chain.contracts.config.operator && nonce === chain.getNonce(from);

/** Null if nodes have each waiting transaction whose nonce is free. */
export function findUnsentTransaction(world: TransactionWorld): string | null {
  const { chain, sentByHand } = world;
  const others = [...chain.pool.values()].filter(({ hash }) => hash === OTHER_PROGRAM || sentByHand.has(hash));
  const isTaken = (row: Row): boolean => others.some(({ from, nonce }) => from === row.from && nonce === row.nonce);
  const unsent = list(world, WAITING).find(
    (row) => row.nonce >= chain.getNonce(row.from) && !chain.pool.has(row.tx_hash) && !isTaken(row),
  );
  return unsent === undefined ? null : `${unsent.tx_hash} is at no node`;
}

/** Null if no waiting transaction has a nonce that another one has used. */
export function findUsedNonce(world: TransactionWorld): string | null {
  const { chain } = world;
  // The service waits for more blocks before it signs a call again.
  if (world.isActive("chain halted")) return null;
  const used = list(world, WAITING).find(
    ({ from, nonce, tx_hash }) => nonce < chain.getNonce(from) && chain.find(tx_hash) === null,
  );
  return used === undefined ? null : `nonce ${used.nonce} of ${used.tx_hash} is used`;
}

/** Null if no transaction counts as queued although nodes have it. */
export function findQueuedTransaction(world: TransactionWorld): string | null {
  const queued = list(world, WAITING).find(
    ({ status, tx_hash }) => status === "queued" && world.chain.pool.has(tx_hash),
  );
  return queued === undefined ? null : `${queued.tx_hash} counts as queued`;
}

/** Null if the first waiting transaction pays enough for a block. */
export function findCheapTransaction(world: TransactionWorld): string | null {
  const { chain } = world;
  // Without new blocks fees do not rise.
  if (world.isActive("chain halted")) return null;
  const first = list(world, WAITING).find((row) => isNext(chain, row));
  const pooled = first === undefined ? undefined : chain.pool.get(first.tx_hash);
  return pooled === undefined || pooled.maxFeePerGas >= chain.baseFee ? null : `${pooled.hash} is too cheap`;
}

/** The time after which an error is stored. */
const EXPLAINED_MS = 1_000;

/** Null if the store has the node's reason for each transaction that it did not accept. */
export function findUnexplained(
  world: TransactionWorld,
  refused: ReadonlyMap<Hex, number>,
  sinceMs: number,
): string | null {
  const { loop } = world;
  const unexplained = list(world, WAITING).find(({ status, raw, last_error }) => {
    const atMs = refused.get(raw);
    const isDue = atMs !== undefined && atMs > sinceMs && loop.nowMs - atMs > EXPLAINED_MS;
    return isDue && status === "queued" && last_error === null;
  });
  return unexplained === undefined ? null : `no error in ${unexplained.tx_hash}`;
}

const OPEN = `select 1 from payouts where status in ('pending', 'sent') union all
  select 1 from transactions where status in ('queued', 'sent')`;

/** Null if no request for a payout is open although no transaction waits. */
export function findLateAnswer({ disk, openPayouts }: TransactionWorld): string | null {
  const [request] = openPayouts;
  if (request === undefined || disk.database.prepare(OPEN).get() !== undefined) return null;
  return `no answer to request ${request}`;
}

/** Null if no order of the operator is open. */
export function findLateOrder({ disk }: TransactionWorld): string | null {
  const row = disk.database.prepare(OPEN_ORDER).get() as { readonly order_id: string } | undefined;
  return row === undefined ? null : row.order_id;
}

/** Null if each transaction that the service has stopped watching is in a final block. */
export function findEarlySettled(world: TransactionWorld): string | null {
  const [early] = list(world, SETTLED, world.chain.head.number - FINAL_DEPTH);
  return early === undefined ? null : `${early.tx_hash} in block ${early.block} is settled`;
}

/** One in this many runs continues until all transactions are final: fewer of one stage, which are short. */
const CONTINUED_EVERY = { stage: 30, others: 6 };

/** Null if the service has stopped watching all transactions. */
export function findUnsettled(world: TransactionWorld): string | null {
  if (world.seed % CONTINUED_EVERY[world.stage === null ? "others" : "stage"] !== 0) return null;
  const [row] = list(world, UNSETTLED);
  return row === undefined ? null : `${row.tx_hash} is not settled`;
}

/** Why a call fails on top of its block; null if it does not. */
export function findRevert(
  chain: Chain,
  { from, to, data }: Pick<Row, "from" | "to" | "data">,
  block: ModelBlock,
): string | null {
  try {
    chain.simulate(block, { from, to, data });
    return null;
  } catch (error) {
    if (error instanceof NodeError) return error.message.replace("execution reverted: ", "");
    throw error;
  }
}

function explainDifference(world: TransactionWorld, row: Row): string | null {
  const { chain } = world;
  const { status, nonce, to, data, tx_hash, block, last_error, cancelled_raw, settled_at_ms } = row;
  if (status !== "included" && block === null)
    return settled_at_ms !== null && last_error !== null && (last_error === "AGAINST_POLICY") === (data === FORBIDDEN)
      ? null
      : "failed without a reason";
  const found = chain.find(tx_hash);
  if (found === null || found.block.number !== block) return `in block ${found?.block.number}, not ${block}`;
  const { transaction } = found;
  const isCall = transaction.to.toLowerCase() === to.toLowerCase() && transaction.data === data;
  if (transaction.nonce !== nonce) return `with nonce ${transaction.nonce}, not ${nonce}`;
  const isIncluded = isCall && transaction.revert === null;
  if (isIncluded !== (status === "included")) return `is ${status}`;
  if (!isCall) return cancelled_raw !== null && last_error === "REPLACED" ? null : `is replaced, with ${last_error}`;
  const reason = isIncluded ? null : findRevert(chain, row, chain.blocks[block]!);
  // A node that is behind may lack the state.
  if (last_error === null && world.plan.some(({ kind }) => kind === "node behind")) return null;
  return last_error?.toLowerCase() === reason?.toLowerCase() ? null : `has the error ${last_error}, not ${reason}`;
}

/** Null if each row that does not wait matches the chain. */
export function findWrongRow(world: TransactionWorld): string | null {
  for (const row of list(world, ROWS)) {
    if (row.status === "queued" || row.status === "sent") continue;
    const difference = explainDifference(world, row);
    if (difference !== null) return `${row.tx_hash} ${difference}`;
  }
  return null;
}

/** A call that was signed again after its order has other fees. */
const OUTCOMES = `select o.outcome, t."from", t.nonce, t.raw, t.cancelled_raw, t.tx_hash,
  ifnull(t.sent_at_ms <= o.done_at_ms, 0) as is_unchanged from transaction_orders o
  join transactions t on t.id = o.transaction_id where o.done_at_ms is not null`;

/** Null if each order of the operator had the result that the transaction allows. */
export function findWrongOutcome({ disk, chain, fixtures }: TransactionWorld): string | null {
  type Done = Pick<Row, "from" | "nonce" | "raw" | "cancelled_raw" | "tx_hash"> & {
    readonly outcome: string;
    readonly is_unchanged: 0 | 1;
  };
  for (const { outcome, from, nonce, raw, cancelled_raw, tx_hash, is_unchanged } of disk.database
    .prepare(OUTCOMES)
    .all() as readonly Done[]) {
    const isRaisable = (parseSent(raw).maxFeePerGas * 9n) / 8n <= parseGwei(String(fixtures.config.feeCapGwei));
    const isOwn = from === chain.contracts.config.operator;
    const isWrong =
      isOwn === (outcome === "unknown") ||
      (outcome === "fee_cap" && isRaisable && is_unchanged === 1) ||
      (outcome === "not_waiting" && chain.listUses(nonce, 0).length === 0);
    if (isWrong || (outcome === "cancelled" && cancelled_raw === null)) return `${outcome} for ${tx_hash}`;
  }
  return null;
}

/** After a failed poll the metrics count some changes twice. They leave out some cancelled transactions. */
const UNCOUNTED: readonly Fault["kind"][] = [
  "cancel ordered",
  "node silent",
  "node errors",
  "node slow",
  "disk full",
  "disk full once",
  "disk locked",
];

/** Null if the metrics of the only backend match the changes of the rows since its start. */
export function findWrongCount({ backends, plan }: TransactionWorld): string | null {
  const [only] = backends.running;
  if (!backends.isAlone || only === undefined || plan.some(({ kind }) => UNCOUNTED.includes(kind))) return null;
  const { included, failed, reorganized } = only.backend.parts.chain.writer.counts();
  const counted = [included, failed, reorganized].join();
  const expected = countChanges()
    .map((count, index) => count - backends.changesAtStart[index]!)
    .join();
  return counted === expected ? null : `${counted} included, failed and reorganized, not ${expected}`;
}
