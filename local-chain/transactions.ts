import type { Hex } from "viem";
import {
  formatTransaction,
  isAddressEqual,
  keccak256,
  type RpcTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializable,
  type TransactionSerialized,
} from "viem";
import type { JournalTransaction } from "./journal.ts";

/**
 * Rebuilds the signed bytes of a transaction from its fields. A transaction of an impersonated account has an invalid
 * signature: then the result is its fields, to be sent again by `eth_sendTransaction`.
 */
export async function rebuildTransaction(rpc: RpcTransaction): Promise<JournalTransaction> {
  const { r, s, v, yParity, ...transaction } = formatTransaction(rpc);
  const fields = { ...transaction, data: transaction.input, to: transaction.to ?? undefined };
  const signature = { r: r as Hex, s: s as Hex, v: v as bigint, ...(yParity === undefined ? {} : { yParity }) };
  const raw = serializeTransaction(
    // viem reads gasPrice or the two fees by type; a mined type 2 transaction carries all three.
    (transaction.type === "eip1559" ? { ...fields, gasPrice: undefined } : fields) as TransactionSerializable,
    signature,
  );
  if (keccak256(raw) === rpc.hash) {
    const sender = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized }).catch(
      () => null,
    );
    if (sender !== null && isAddressEqual(sender, rpc.from)) return raw;
  }
  const { from, to, gas, value, nonce, input, maxFeePerGas, maxPriorityFeePerGas } = rpc;
  const fees = maxFeePerGas === undefined ? { gasPrice: rpc.gasPrice } : { maxFeePerGas, maxPriorityFeePerGas };
  return { from, ...(to === null ? {} : { to }), gas, value, nonce, data: input, ...fees };
}
