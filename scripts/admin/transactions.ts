/** The operator's transactions: what they are, and what is done with one that waits. */
import { setTimeout as sleep } from "node:timers/promises";
import type { TransactionRow } from "../../backend/ports/store/chain.ts";
import type { Store } from "../../backend/ports/store/store.ts";
import { REFUSAL_ACTION } from "../../domain/operator-policy.ts";
import { type TransactionOrder, toTransactionState } from "../../domain/operator-transactions.ts";
import type { BlockFinality } from "../../domain/session.ts";
import { defineCommand, parseCount } from "../cli/command.ts";
import { confirmSending } from "../cli/confirm.ts";
import { CommandError, EXIT } from "../cli/failures.ts";
import { formatTable } from "../cli/style.ts";
import type { Terminal } from "../cli/terminal.ts";
import { AS_FLAG, createAuditStamp, findChain, withStore } from "./context.ts";

const POLL_MS = 200;
const toIso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** As far as the store knows: what the service has settled is final. */
async function readFinality({ chain }: Store, confirmations: number): Promise<BlockFinality> {
  const cursor = await chain.getCursor();
  return { safe: (cursor?.number ?? -1) - confirmations, final: -1 };
}

/** `reason`: the node's last one, or the contract's revert. */
const toView = (row: TransactionRow, finality: BlockFinality) => ({
  transactionId: row.id,
  state: toTransactionState(row, finality),
  kind: row.kind,
  key: row.key,
  nonce: row.nonce,
  txHash: row.txHash,
  block: row.block,
  to: row.to,
  selector: row.data.slice(0, 10),
  value: row.value.toString(),
  maxFeePerGas: row.maxFeePerGas.toString(),
  createdAt: toIso(row.createdAtMs),
  sentAt: toIso(row.sentAtMs),
  settledAt: toIso(row.settledAtMs),
  reason: row.lastError,
});

interface Refusal {
  readonly kind: string;
  readonly key: string;
  readonly to: string;
  readonly selector: string;
  readonly value: string;
  readonly reason: string;
}

/**
 * Calls that the operator's policy refused, and that were not signed later. `key` null: of any. Newest first, found among
 * the last `limit` refusals.
 */
async function listRefusals({ operator, transactions }: Store, key: string | null, limit: number) {
  const rows = await operator.listAudit({ subject: key, action: REFUSAL_ACTION, limit });
  const refusals = rows.map(({ atMs, after }) => ({
    state: "refused",
    refusedAt: toIso(atMs),
    ...(JSON.parse(after!) as Refusal),
  }));
  const signed = await transactions.findByKeys(refusals);
  return refusals.filter((refusal) => !signed.some(({ kind, key }) => kind === refusal.kind && key === refusal.key));
}

const printFields = (view: object, terminal: Terminal): void => {
  const cells = Object.entries(view).map(([name, value]) => [name, String(value ?? "–")]);
  terminal.print(formatTable(["field", "value"], cells, terminal.style));
};

async function requireTransaction(store: Store, id: string): Promise<TransactionRow> {
  const row = await store.transactions.find(id);
  if (row !== null) return row;
  throw new CommandError(`There is no transaction ${id}.`, { next: "npm run admin -- tx list" });
}

const list = defineCommand({
  name: "tx list",
  summary: "shows the operator's transactions, newest first",
  flags: { limit: { type: "string", value: "N", help: "number of rows", default: "50" } },
  examples: ["npm run admin -- tx list --json"],
  async run({ flags }, terminal) {
    const limit = parseCount("limit", flags.limit, 50, 10_000);
    const { views, refused } = await withStore(async (store, { confirmations }) => {
      const finality = await readFinality(store, confirmations);
      const rows = await store.operator.listTransactions(limit);
      return { views: rows.map((row) => toView(row, finality)), refused: await listRefusals(store, null, limit) };
    });
    const cells = views.map((view) => [
      ...[view.transactionId, view.state, view.kind, String(view.nonce), String(view.block ?? "–")],
      ...[view.txHash, view.reason ?? "–"],
    ]);
    const headings = ["id", "state", "kind", "nonce", "block", "transaction", "reason"];
    terminal.print(
      views.length === 0 ? "The operator has sent nothing yet" : formatTable(headings, cells, terminal.style, [3, 4]),
    );
    if (refused.length > 0) {
      const lines = refused.map(({ refusedAt, kind, key, reason }) => [refusedAt ?? "–", kind, key, reason]);
      terminal.print("\nRefused by the operator's policy, not signed:");
      terminal.print(formatTable(["at", "kind", "key", "reason"], lines, terminal.style));
    }
    terminal.printJson({ ok: true, transactions: views, refused });
    return EXIT.ok;
  },
});

const show = defineCommand({
  name: "tx show",
  args: { id: { value: "ID", help: "the transaction's id, or the key of a refused call, as in tx list" } },
  summary: "shows one of the operator's transactions, or a call that the operator's policy refused",
  examples: ["npm run admin -- tx show 0190f1d5-7c4e-4abc-8def-0123456789ab"],
  async run({ args }, terminal) {
    const { refusal, view } = await withStore(async (store, { confirmations }) => {
      const [refusal] = await listRefusals(store, args.id, 20);
      if (refusal !== undefined) return { refusal };
      return { view: toView(await requireTransaction(store, args.id), await readFinality(store, confirmations)) };
    });
    printFields(refusal ?? view!, terminal);
    terminal.printJson(refusal === undefined ? { ok: true, transaction: view } : { ok: true, refusal });
    return EXIT.ok;
  },
});

const PLANS: { readonly [order in TransactionOrder]: string } = {
  bump: "is sent again with fees at least 12.5 % higher, under the same nonce",
  cancel:
    "is replaced by an empty transfer of the operator to itself, under the same nonce and with higher fees; where its own version is faster, it stays",
};

const OUTCOMES = {
  bumped: "was sent again with higher fees",
  cancelled: "is being replaced; tx show tells when a block has decided",
  not_waiting: "has a block already, or has failed",
  fee_cap: "cannot get higher fees: the next ones are above ARCADE_OPERATOR_FEE_CAP_GWEI, or a hundred times the first",
  unknown: "belongs to another operator's key",
} as const;

interface OrderFlags {
  readonly wait?: string;
  readonly as?: string;
  readonly yes?: boolean;
}

async function placeOrder(action: TransactionOrder, id: string, flags: OrderFlags, terminal: Terminal) {
  const waitMs = parseCount("wait", flags.wait, 10, 600) * 1000;
  const stamp = createAuditStamp(flags);
  return withStore(async (store, config) => {
    const row = await requireTransaction(store, id);
    if (row.block !== null || row.settledAtMs !== null)
      throw new CommandError(`Transaction ${id} ${OUTCOMES.not_waiting}.`);
    terminal.print(`  Plan: transaction ${id} (${row.kind}, nonce ${row.nonce}) ${PLANS[action]}.`);
    await confirmSending(flags.yes === true, (await findChain({}, config)).deployment.chainId);
    await store.operator.orderTransaction(id, action, stamp);
    const deadlineMs = performance.now() + waitMs;
    let stored = await store.operator.findTransactionOrder(stamp.auditId);
    while (stored?.outcome == null && performance.now() < deadlineMs) {
      await sleep(POLL_MS);
      stored = await store.operator.findTransactionOrder(stamp.auditId);
    }
    const outcome = stored?.outcome ?? null;
    terminal.print(
      outcome === null
        ? "Ordered; no server has carried it out yet. The one that runs, or starts next, will."
        : `Transaction ${id} ${OUTCOMES[outcome]}`,
    );
    terminal.printJson({ ok: true, transactionId: id, order: action, outcome });
    return EXIT.ok;
  });
}

const ORDER_FLAGS = {
  wait: { type: "string", value: "SECONDS", help: "how long to wait for the server", default: "10" },
  yes: { type: "boolean", help: "do not ask" },
  ...AS_FLAG,
} as const;
const ORDER_ARGS = { id: { value: "ID", help: "the transaction's id, as in tx list" } } as const;

const bump = defineCommand({
  name: "tx bump",
  args: ORDER_ARGS,
  summary: "has the running service send a waiting transaction again with higher fees; shows the plan and asks",
  flags: ORDER_FLAGS,
  examples: ["npm run admin -- tx bump 0190f1d5-7c4e-4abc-8def-0123456789ab"],
  run: ({ args, flags }, terminal) => placeOrder("bump", args.id, flags, terminal),
});

const cancel = defineCommand({
  name: "tx cancel",
  args: ORDER_ARGS,
  summary: "has the running service free a waiting transaction's nonce by an empty transfer; shows the plan and asks",
  flags: ORDER_FLAGS,
  examples: ["npm run admin -- tx cancel 0190f1d5-7c4e-4abc-8def-0123456789ab"],
  run: ({ args, flags }, terminal) => placeOrder("cancel", args.id, flags, terminal),
});

export const TRANSACTION_COMMANDS = [list, show, bump, cancel];
