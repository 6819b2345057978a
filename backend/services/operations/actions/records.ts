/** What the operator reads: the audit, signatures, open payouts, error responses. */
import { toIso } from "../../../../domain/time.ts";
import type { ConsoleOperator, Operator } from "../operator.ts";

const parseJson = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/** What was changed by hand, newest first; without `subject`: of anything. */
export async function listAudit(
  { store }: Operator,
  { subject, limit }: { readonly subject?: string | undefined; readonly limit: number },
) {
  const rows = await store.operator.listAudit({ subject: subject ?? null, limit });
  return {
    audit: rows.map(({ atMs, before, after, ...row }) => ({
      ...row,
      at: toIso(atMs),
      before: parseJson(before),
      after: parseJson(after),
    })),
  };
}

/** What the service signed, newest first, without the signatures. */
export async function listSignings({ store }: Operator, { limit }: { readonly limit: number }) {
  const rows = await store.operator.listSignings(limit);
  return {
    signings: rows.map(({ kind, key, payloadHash, createdAtMs }) => ({
      kind,
      key,
      payloadHash,
      at: toIso(createdAtMs),
    })),
  };
}

/** Payouts that are not in a block yet, with their transactions; oldest first. */
export async function listOpenPayouts({ store: { payouts, transactions } }: Operator) {
  const views = (await payouts.listOpen()).map(async (payout) => {
    const { payoutId, wallet, status, transactionId } = payout;
    const transaction = transactionId === null ? null : await transactions.find(transactionId);
    return {
      payoutId,
      walletAddress: wallet,
      status,
      score: Number(payout.score),
      amount: payout.amount.toString(),
      createdAt: toIso(payout.createdAtMs),
      nonce: transaction?.nonce ?? null,
      txHash: transaction?.txHash ?? payout.txHash,
      lastError: transaction?.lastError ?? null,
    };
  });
  return { payouts: await Promise.all(views) };
}

/** Error responses of this process, newest first; with `requestId` only those of that request. */
export function listErrors(
  { errors }: ConsoleOperator,
  { requestId, limit }: { readonly requestId?: string | undefined; readonly limit: number },
) {
  const entries = errors.list(requestId ?? null, limit);
  return { errors: entries.map(({ atMs, ...entry }) => ({ at: toIso(atMs), ...entry })) };
}
