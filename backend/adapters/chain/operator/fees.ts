import { keccak256, type PrivateKeyAccount, parseTransaction, type TransactionSerializedEIP1559 } from "viem";
import type { TransactionRow } from "../../../ports.ts";

type Hex = `0x${string}`;

export interface Fees {
  /** Wei for a unit of gas. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Nobody waits for a transaction at a hundred times its first price. */
const STEPS_MAX = 40;

/** 12.5 % more, rounded up: above the 10 % that nodes ask of a replacement. */
const raise = (wei: bigint): bigint => (wei * 9n + 7n) / 8n;

export const raiseFees = ({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees => ({
  maxFeePerGas: raise(maxFeePerGas),
  maxPriorityFeePerGas: raise(maxPriorityFeePerGas),
});

export interface Version extends Fees {
  readonly raw: Hex;
  readonly txHash: Hex;
}

async function sign(account: PrivateKeyAccount, raw: Hex, fees: Fees): Promise<Version> {
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
  return { raw: signed, txHash: keccak256(signed), maxFeePerGas, maxPriorityFeePerGas };
}

/**
 * Every version of a transaction that may be on its way: the row keeps the first one's fees, each next one pays
 * 12.5 % more, and signatures are deterministic, so that all hashes are known again after a crash.
 */
export async function listVersions(account: PrivateKeyAccount, row: TransactionRow): Promise<readonly Version[]> {
  const last = parseTransaction(row.raw as TransactionSerializedEIP1559).maxFeePerGas!;
  const versions: Version[] = [];
  let fees: Fees = row;
  for (let step = 0; step <= STEPS_MAX; step++, fees = raiseFees(fees)) {
    versions.push(await sign(account, row.raw, fees));
    if (fees.maxFeePerGas >= last) break;
  }
  return versions;
}

/** The next version of a transaction: at least one step dearer, and as many as `atLeast` asks for. Null at the end. */
export async function nextVersion(
  account: PrivateKeyAccount,
  row: TransactionRow,
  atLeast: bigint,
): Promise<Version | null> {
  const last = parseTransaction(row.raw as TransactionSerializedEIP1559).maxFeePerGas!;
  let fees: Fees = row;
  for (let step = 0; step < STEPS_MAX; step++) {
    fees = raiseFees(fees);
    if (fees.maxFeePerGas > last && fees.maxFeePerGas >= atLeast) return await sign(account, row.raw, fees);
  }
  return null;
}
