import type { Hex } from "viem";
import { parseTransaction, type TransactionSerializedEIP1559 } from "viem";
import type { TransactionRow } from "../../../ports/store/chain.ts";
import { hashTransaction, type OperatorAccount } from "./account.ts";

export interface Fees {
  /** Wei per unit of gas. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The maximum number of fee raises of a transaction: 40 raises multiply the first price by about a hundred. */
export const FEE_BUMPS_MAX = 40;

/** The gas of an empty transfer. */
export const TRANSFER_GAS = 21_000n;

/** 12.5 % more, rounded up: above the 10 % that nodes require of a replacement, even for a tip of zero. */
const raiseFee = (wei: bigint): bigint => (wei === 0n ? 1n : (wei * 9n + 7n) / 8n);

export const raiseFees = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees => ({
  maxFeePerGas: raiseFee(maxFeePerGas),
  maxPriorityFeePerGas: raiseFee(maxPriorityFeePerGas),
});

const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** The highest tip accepted from a node, in wei: twice Polygon's minimum. */
const TIP_MAX = 50n * 10n ** 9n;
/** If the base fee is high, tips up to this multiple of it are accepted too. */
const TIP_MAX_BASE_FEES = 10n;

/** Limits the tip. The node proposes it, no rule of the chain limits it, and it is paid in full. */
export const boundTip = (tip: bigint, baseFeePerGas: bigint): bigint => {
  const byBaseFee = baseFeePerGas * TIP_MAX_BASE_FEES;
  return min(tip, byBaseFee > TIP_MAX ? byBaseFee : TIP_MAX);
};

/** `feeCap`: the highest fee per gas in wei; null: no limit. */
export const capFees = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees, feeCap: bigint | null): Fees =>
  feeCap === null
    ? { maxFeePerGas, maxPriorityFeePerGas }
    : { maxFeePerGas: min(maxFeePerGas, feeCap), maxPriorityFeePerGas: min(maxPriorityFeePerGas, feeCap) };

export interface SignedVersion extends Fees {
  readonly raw: Hex;
  readonly txHash: Hex;
}

async function signVersion(account: OperatorAccount, raw: Hex, fees: Fees): Promise<SignedVersion> {
  const { to, data, value, gas, nonce, chainId } = parseTransaction(raw as TransactionSerializedEIP1559);
  const call = { ...(to ? { to } : {}), ...(data ? { data } : {}), value: value ?? 0n, gas: gas!, nonce: nonce! };
  const { maxFeePerGas, maxPriorityFeePerGas } = fees;
  const signed = await account.signTransaction({
    ...call,
    chainId,
    maxFeePerGas,
    maxPriorityFeePerGas,
    type: "eip1559",
  });
  return { raw: signed, txHash: hashTransaction(signed), maxFeePerGas, maxPriorityFeePerGas };
}

/** Stored versions are not signed again. */
function toStoredVersion(raw: Hex): SignedVersion {
  const { maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(raw as TransactionSerializedEIP1559);
  return {
    raw,
    txHash: hashTransaction(raw),
    maxFeePerGas: maxFeePerGas!,
    maxPriorityFeePerGas: maxPriorityFeePerGas!,
  };
}

/**
 * Every version of a transaction that may have been sent: the row has the fees of the first one, and each further one
 * pays 12.5 % more. Signatures are deterministic, so that all hashes can be computed again after a crash.
 */
export async function listSignedVersions(
  account: OperatorAccount,
  row: TransactionRow,
): Promise<readonly SignedVersion[]> {
  const last = parseTransaction(row.raw as TransactionSerializedEIP1559).maxFeePerGas!;
  const versions: SignedVersion[] = [];
  let fees: Fees = row;
  for (let step = 0; step <= FEE_BUMPS_MAX; step++, fees = raiseFees(fees)) {
    const isLast = fees.maxFeePerGas >= last;
    versions.push(isLast ? toStoredVersion(row.raw) : await signVersion(account, row.raw, fees));
    if (isLast) break;
  }
  if (row.cancelledRaw === null) return versions;
  return [...(await listSignedVersions(account, { ...row, raw: row.cancelledRaw, cancelledRaw: null })), ...versions];
}

/**
 * The next version of a transaction: its fees are raised at least once, and until they reach `minFeePerGas` (wei), but
 * not above `feeCap` (wei; null: no limit). Null if no further raise is allowed.
 */
export async function createNextVersion(
  account: OperatorAccount,
  row: TransactionRow,
  { minFeePerGas, feeCap }: { readonly minFeePerGas: bigint; readonly feeCap: bigint | null },
): Promise<SignedVersion | null> {
  const last = parseTransaction(row.raw as TransactionSerializedEIP1559).maxFeePerGas!;
  let fees: Fees = row;
  let allowed: Fees | null = null;
  for (let step = 0; step < FEE_BUMPS_MAX; step++) {
    fees = raiseFees(fees);
    if (feeCap !== null && fees.maxFeePerGas > feeCap) break;
    if (fees.maxFeePerGas <= last) continue;
    allowed = fees;
    if (fees.maxFeePerGas >= minFeePerGas) break;
  }
  return allowed === null ? null : await signVersion(account, row.raw, allowed);
}

/** Whether a transaction's fees were raised the maximum number of times, regardless of the cap. */
export function isRaisedToTheMost(row: Pick<TransactionRow, "raw" | keyof Fees>): boolean {
  let fees: Fees = row;
  for (let step = 0; step < FEE_BUMPS_MAX; step++) fees = raiseFees(fees);
  return parseTransaction(row.raw as TransactionSerializedEIP1559).maxFeePerGas! >= fees.maxFeePerGas;
}

/** An empty transfer with a transaction's nonce and higher fees: once it is in a block, the call is cancelled. */
export async function createCancellation(
  account: OperatorAccount,
  row: TransactionRow,
  limits: { readonly minFeePerGas: bigint; readonly feeCap: bigint | null },
): Promise<SignedVersion | null> {
  const next = await createNextVersion(account, row, limits);
  if (next === null) return null;
  const { nonce, chainId } = parseTransaction(row.raw as TransactionSerializedEIP1559);
  const { maxFeePerGas, maxPriorityFeePerGas } = next;
  const empty = { to: account.address, value: 0n, gas: TRANSFER_GAS, nonce: nonce!, chainId };
  const raw = await account.signTransaction({ ...empty, maxFeePerGas, maxPriorityFeePerGas, type: "eip1559" });
  return { raw, txHash: hashTransaction(raw), maxFeePerGas, maxPriorityFeePerGas };
}

/** Whether a version of a row's transaction is its call, not the empty transfer of a cancellation. */
export function isCall(raw: Hex, { to, data }: Pick<TransactionRow, "to" | "data">): boolean {
  const parsed = parseTransaction(raw as TransactionSerializedEIP1559);
  return parsed.to?.toLowerCase() === to.toLowerCase() && (parsed.data ?? "0x") === data;
}
