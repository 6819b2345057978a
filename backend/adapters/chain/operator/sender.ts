import { keccak256, type PrivateKeyAccount, type PublicClient } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { isLocalChain } from "../chain-id.ts";
import { describeRevert } from "../reverts.ts";
import { findRevert, type Rpc } from "../rpc.ts";
import type { Fees } from "./fees.ts";
import { classifySendError, type SendOutcome } from "./node-answers.ts";

type Hex = `0x${string}`;

export interface CallRequest {
  readonly to: Hex;
  readonly data: Hex;
  readonly value?: bigint;
}

export interface Plan extends Fees {
  readonly gas: bigint;
  /** The operator's transactions in blocks so far: the lowest nonce that is still free. */
  readonly minedCount: number;
}

async function readFees(client: PublicClient): Promise<Fees> {
  const [{ baseFeePerGas }, maxPriorityFeePerGas] = await Promise.all([
    client.getBlock({ blockTag: "latest" }),
    client.estimateMaxPriorityFeePerGas(),
  ]);
  // Room for a base fee that rises by an eighth in each of six full blocks.
  return { maxFeePerGas: (baseFeePerGas ?? 0n) * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** The operator's way to the node: looking before it signs, signing, sending. */
export function createSender(rpc: Rpc, account: PrivateKeyAccount) {
  const { guard, chainId } = rpc;
  // A chain that mines on demand stands still between transactions; the transaction's block has a later time.
  const blockTag = isLocalChain(chainId) ? "pending" : "latest";
  const from = account.address;

  return {
    fees: (): Promise<Fees> => guard(readFees),
    minedCount: (): Promise<number> => guard((client) => client.getTransactionCount({ address: from })),
    pendingCount: (): Promise<number> =>
      guard((client) => client.getTransactionCount({ address: from, blockTag: "pending" })),

    /** Tries the call and reads what a transaction needs. Throws `TX_FAILED` where the contract says no. */
    plan: async (request: CallRequest): Promise<Plan> => {
      const call = { account: from, ...request };
      try {
        return await guard(async (client) => {
          await client.call({ ...call, blockTag });
          const [estimate, minedCount, fees] = await Promise.all([
            client.estimateGas(call),
            client.getTransactionCount({ address: from }),
            readFees(client),
          ]);
          // What a call needs moves with the state it meets in its block.
          return { ...fees, gas: (estimate * 5n) / 4n + 10_000n, minedCount };
        });
      } catch (error) {
        if (findRevert(error) === null) throw error;
        const { name, text } = describeRevert(error)!;
        throw new ArcadeError("TX_FAILED", `The contract refuses the call: ${text}.`, { revert: name });
      }
    },

    sign: async (
      request: CallRequest,
      nonce: number,
      { gas, maxFeePerGas, maxPriorityFeePerGas }: Omit<Plan, "minedCount">,
    ) => {
      const { to, data, value = 0n } = request;
      const fees = { maxFeePerGas, maxPriorityFeePerGas };
      const raw = await account.signTransaction({ to, data, value, gas, nonce, chainId, ...fees, type: "eip1559" });
      return { raw, txHash: keccak256(raw), ...fees };
    },

    send: async (raw: Hex): Promise<SendOutcome> => {
      const params = { serializedTransaction: raw };
      try {
        await guard((client) => client.sendRawTransaction(params as never), { answers: "errors" });
        return "accepted";
      } catch (error) {
        const outcome = classifySendError(error);
        if (outcome === null) throw error;
        return outcome;
      }
    },

    /** Where each transaction stands: its block and whether it succeeded; `known` while it waits; null: gone. */
    locate: (txHash: Hex): Promise<Location> =>
      guard(async (client) => {
        const [receipt, transaction] = await Promise.all([
          client.request({ method: "eth_getTransactionReceipt", params: [txHash] }),
          client.request({ method: "eth_getTransactionByHash", params: [txHash] }),
        ]);
        if (receipt?.blockNumber) return { block: Number(receipt.blockNumber), ok: receipt.status === "0x1" };
        return transaction === null ? null : "known";
      }),

    head: (): Promise<number> => guard(async (client) => Number(await client.getBlockNumber())),
  };
}

export type Location = { readonly block: number; readonly ok: boolean } | "known" | null;
export type Sender = ReturnType<typeof createSender>;
