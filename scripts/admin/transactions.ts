/** The operator's transactions: list, show, and bump or cancel a waiting one. */

import type { Store } from "../../backend/ports/store/store.ts";
import {
  findTransaction,
  findTransactionOrder,
  listTransactions,
  orderTransaction,
} from "../../backend/services/operations/actions/transactions.ts";
import { REFUSAL_ACTION } from "../../domain/operator-policy.ts";
import type { TransactionOrder } from "../../domain/operator-transactions.ts";
import { toIso } from "../../domain/time.ts";
import { defineCommand, parseCount } from "../cli/command.ts";
import { confirmSending } from "../cli/confirm.ts";
import { CommandError } from "../cli/failures.ts";
import { formatTable } from "../cli/style.ts";
import type { Terminal } from "../cli/terminal.ts";
import { AS_FLAG, pollUntil, readServiceDeployment, WAIT_FLAG, withOperator } from "./context.ts";

type View = Awaited<ReturnType<typeof findTransaction>>["view"];
const toJson = ({ lastError, ...view }: View) => ({ ...view, reason: lastError });

interface Refusal {
  readonly kind: string;
  readonly key: string;
  readonly to: string;
  readonly selector: string;
  readonly value: string;
  readonly reason: string;
}

/**
 * Calls that the operator's policy rejected and that were not signed later, newest first, among the last `limit`
 * rejections. `key` null: of any key.
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

const list = defineCommand({
  name: "tx list",
  summary: "shows the operator's transactions, newest first",
  flags: { limit: { type: "string", value: "N", help: "number of rows", default: "50" } },
  examples: ["npm run admin -- tx list --json"],
  async run({ flags }, terminal) {
    const limit = parseCount("limit", flags.limit, 50, 10_000);
    const { transactions, refused } = await withOperator({}, async (operator) => ({
      ...(await listTransactions(operator, { limit })),
      refused: await listRefusals(operator.store, null, limit),
    }));
    const cells = transactions.map((view) => [
      ...[view.transactionId, view.state, view.kind, String(view.nonce), String(view.block ?? "–")],
      ...[view.txHash, view.lastError ?? "–"],
    ]);
    const headings = ["id", "state", "kind", "nonce", "block", "transaction", "reason"];
    terminal.print(
      cells.length === 0 ? "The operator has sent nothing yet" : formatTable(headings, cells, terminal.style, [3, 4]),
    );
    if (refused.length > 0) {
      const lines = refused.map(({ refusedAt, kind, key, reason }) => [refusedAt, kind, key, reason]);
      terminal.print("\nRefused by the operator's policy, not signed:");
      terminal.print(formatTable(["at", "kind", "key", "reason"], lines, terminal.style));
    }
    return { transactions: transactions.map(toJson), refused };
  },
});

const show = defineCommand({
  name: "tx show",
  args: { id: { value: "ID", help: "the transaction's id, or the key of a rejected call, from tx list" } },
  summary: "shows one of the operator's transactions, or a call that the operator's policy rejected",
  examples: ["npm run admin -- tx show 0190f1d5-7c4e-4abc-8def-0123456789ab"],
  async run({ args }, terminal) {
    const result = await withOperator({}, async (operator) => {
      const [refusal] = await listRefusals(operator.store, args.id, 20);
      if (refusal !== undefined) return { refusal };
      return { transaction: toJson((await findTransaction(operator, args.id)).view) };
    });
    const cells = Object.entries(result.refusal ?? result.transaction).map(([name, value]) => [
      ...[name, String(value ?? "–")],
    ]);
    terminal.print(formatTable(["field", "value"], cells, terminal.style));
    return result;
  },
});

const PLANS: { readonly [order in TransactionOrder]: string } = {
  bump: "is sent again with fees at least 12.5 % higher, under the same nonce",
  cancel:
    "is replaced by an empty transfer of the operator to itself, with the same nonce and higher fees, unless it reaches a block first",
};

const OUTCOMES = {
  bumped: "was sent again with higher fees",
  cancelled: "is being replaced; tx show reports the result when it is in a block",
  not_waiting: "is already in a block, or has failed",
  fee_cap:
    "cannot get higher fees: they would be above ARCADE_OPERATOR_FEE_CAP_GWEI, or a hundred times the first ones",
  unknown: "belongs to another operator's key",
} as const;

interface OrderFlags {
  readonly wait?: string;
  readonly as?: string;
  readonly yes?: boolean;
}

async function placeOrder(action: TransactionOrder, id: string, flags: OrderFlags, terminal: Terminal) {
  const waitSeconds = parseCount("wait", flags.wait, 10, 600);
  return withOperator(flags, async (operator, config) => {
    const { isWaiting, row } = await findTransaction(operator, id);
    if (!isWaiting) throw new CommandError(`Transaction ${id} ${OUTCOMES.not_waiting}.`);
    terminal.print(`  Plan: transaction ${id} (${row.kind}, nonce ${row.nonce}) ${PLANS[action]}.`);
    await confirmSending(flags.yes === true, (await readServiceDeployment(config)).chainId);
    const { orderId, ...order } = await orderTransaction(operator, { transactionId: id, action });
    const find = async () => (orderId === null ? order : findTransactionOrder(operator, orderId));
    const { outcome } = await pollUntil(find, (found) => found.outcome !== null, waitSeconds);
    terminal.print(
      outcome === null
        ? "Ordered; no server has executed it yet. The running server, or the next one to start, will."
        : `Transaction ${id} ${OUTCOMES[outcome]}`,
    );
    return { transactionId: id, order: action, outcome };
  });
}

const defineOrderCommand = (action: TransactionOrder, summary: string) =>
  defineCommand({
    name: `tx ${action}`,
    args: { id: { value: "ID", help: "the transaction's id, from tx list" } },
    summary: `makes the running service ${summary}; shows the plan and asks for confirmation`,
    flags: { ...WAIT_FLAG, yes: { type: "boolean", help: "do not ask for confirmation" }, ...AS_FLAG },
    examples: [`npm run admin -- tx ${action} 0190f1d5-7c4e-4abc-8def-0123456789ab`],
    run: ({ args, flags }, terminal) => placeOrder(action, args.id, flags, terminal),
  });

export const TRANSACTION_COMMANDS = [
  list,
  show,
  defineOrderCommand("bump", "send a waiting transaction again with higher fees"),
  defineOrderCommand("cancel", "replace a waiting transaction with an empty transfer"),
];
