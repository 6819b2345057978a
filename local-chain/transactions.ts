import type { Hex } from "viem";
import {
  formatTransaction,
  isAddressEqual,
  keccak256,
  type RpcBlock,
  type RpcTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializable,
  type TransactionSerialized,
  toHex,
} from "viem";
import type { JournalBlock, JournalTransaction } from "./journal.ts";

/**
 * Rebuilds the signed bytes of a transaction from its fields. A transaction of an impersonated account has no valid
 * signature: the result is then its fields, to send again with `eth_sendTransaction`.
 */
async function rebuildTransaction(rpc: RpcTransaction): Promise<JournalTransaction> {
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
  const { from, to, gas, value, nonce, input, accessList, authorizationList, maxFeePerGas, maxPriorityFeePerGas } = rpc;
  const fees = maxFeePerGas === undefined ? { gasPrice: rpc.gasPrice } : { maxFeePerGas, maxPriorityFeePerGas };
  return {
    from,
    ...(to === null ? {} : { to }),
    gas,
    value,
    nonce,
    data: input,
    accessList,
    authorizationList,
    ...fees,
  };
}

/** A block as the journal holds it. `received`: signed transactions as they arrived, by hash. */
export async function readBlock(
  engine: { call(method: string, params: readonly unknown[]): Promise<unknown> },
  number: number,
  received: ReadonlyMap<Hex, Hex>,
): Promise<{ readonly block: JournalBlock; readonly mined: readonly RpcTransaction[] }> {
  const { hash, timestamp, transactions } = (await engine.call("eth_getBlockByNumber", [
    toHex(number),
    true,
  ])) as RpcBlock;
  const mined = transactions as RpcTransaction[];
  const sent: JournalTransaction[] = [];
  for (const transaction of mined) sent.push(received.get(transaction.hash) ?? (await rebuildTransaction(transaction)));
  return { block: { kind: "block", hash: hash!, timestamp: Number(timestamp), transactions: sent }, mined };
}
