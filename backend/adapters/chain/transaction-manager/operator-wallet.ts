import type { Address, Hex } from "viem";
import { keccak256, type PrivateKeyAccount, type PublicClient } from "viem";
import { isLocalChain } from "../../../domain/chain-ids.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { describeRevert } from "../reverts.ts";
import { findRevert, type Rpc } from "../rpc.ts";
import type { Fees, SignedVersion } from "./fees.ts";
import { ACCEPTED, classifySendError, type SendOutcome } from "./send-outcome.ts";

export interface CallRequest {
  readonly to: Address;
  readonly data: Hex;
  readonly value?: bigint;
}

export interface PreparedTransaction extends Fees {
  readonly gas: bigint;
  /** The operator's transactions in blocks so far: the lowest nonce that is still free. */
  readonly minedCount: number;
}

export interface BlockId {
  readonly number: number;
  readonly hash: Hex;
}

/** Where a transaction is: its block and whether it succeeded; `known` while it waits; null when no node has it. */
export type TransactionLocation = { readonly block: number; readonly ok: boolean } | "known" | null;

async function readFees(client: PublicClient): Promise<Fees> {
  const [{ baseFeePerGas }, maxPriorityFeePerGas] = await Promise.all([
    client.getBlock({ blockTag: "latest" }),
    client.estimateMaxPriorityFeePerGas(),
  ]);
  // Enough for a base fee that rises by an eighth in each of six full blocks.
  return { maxFeePerGas: (baseFeePerGas ?? 0n) * 2n + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** The operator's account on the node: estimates, signs, sends and finds its transactions. */
export class OperatorWallet {
  readonly #rpc: Rpc;
  readonly #account: PrivateKeyAccount;

  constructor(rpc: Rpc, account: PrivateKeyAccount) {
    this.#rpc = rpc;
    this.#account = account;
  }

  getFees(): Promise<Fees> {
    return this.#rpc.withDeadline(readFees);
  }

  /** In wei. */
  getBalance(): Promise<bigint> {
    const { address } = this.#account;
    return this.#rpc.withDeadline((client) => client.getBalance({ address }));
  }

  getMinedCount(): Promise<number> {
    const { address } = this.#account;
    return this.#rpc.withDeadline((client) => client.getTransactionCount({ address }));
  }

  getPendingCount(): Promise<number> {
    const { address } = this.#account;
    return this.#rpc.withDeadline((client) => client.getTransactionCount({ address, blockTag: "pending" }));
  }

  /** The latest block, and the hash that the block of a number has now: null where there is no such block. */
  readHead(number: number): Promise<{ readonly head: BlockId; readonly hashAtNumber: Hex | null }> {
    return this.#rpc.withDeadline(async (client) => {
      const [head, block] = await Promise.all([
        client.request({ method: "eth_getBlockByNumber", params: ["latest", false] }),
        client.request({ method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, false] }),
      ]);
      if (!head?.number || !head.hash) throw new Error("the node has no latest block");
      return { head: { number: Number(head.number), hash: head.hash }, hashAtNumber: block?.hash ?? null };
    });
  }

  /** Simulates the call and reads what a transaction needs. Throws `TX_FAILED` when the contract reverts. */
  async prepare(request: CallRequest): Promise<PreparedTransaction> {
    const { address } = this.#account;
    const call = { account: address, ...request };
    // The local chain mines no block between transactions; the transaction's block will have a later time.
    const blockTag = isLocalChain(this.#rpc.chainId) ? "pending" : "latest";
    try {
      return await this.#rpc.withDeadline(async (client) => {
        await client.call({ ...call, blockTag });
        const [estimate, minedCount, fees] = await Promise.all([
          client.estimateGas(call),
          client.getTransactionCount({ address }),
          readFees(client),
        ]);
        // The gas of a call depends on the state that it finds in its block.
        return { ...fees, gas: (estimate * 5n) / 4n + 10_000n, minedCount };
      });
    } catch (error) {
      if (findRevert(error) === null) throw error;
      const { name, text } = describeRevert(error)!;
      throw new ArcadeError("TX_FAILED", `The contract refuses the call: ${text}.`, { revert: name });
    }
  }

  async sign(
    request: CallRequest,
    nonce: number,
    { gas, maxFeePerGas, maxPriorityFeePerGas }: Omit<PreparedTransaction, "minedCount">,
  ): Promise<SignedVersion> {
    const { to, data, value = 0n } = request;
    const { chainId } = this.#rpc;
    const fees = { maxFeePerGas, maxPriorityFeePerGas };
    const transaction = { to, data, value, gas, nonce, chainId, ...fees, type: "eip1559" as const };
    const raw = await this.#account.signTransaction(transaction);
    return { raw, txHash: keccak256(raw), ...fees };
  }

  async send(raw: Hex): Promise<SendOutcome> {
    const params = { serializedTransaction: raw };
    try {
      await this.#rpc.withDeadline((client) => client.sendRawTransaction(params as never), { passThrough: "errors" });
      return ACCEPTED;
    } catch (error) {
      const outcome = classifySendError(error);
      if (outcome === null) throw error;
      return outcome;
    }
  }

  locate(txHash: Hex): Promise<TransactionLocation> {
    return this.#rpc.withDeadline(async (client) => {
      const [receipt, transaction] = await Promise.all([
        client.request({ method: "eth_getTransactionReceipt", params: [txHash] }),
        client.request({ method: "eth_getTransactionByHash", params: [txHash] }),
      ]);
      if (receipt?.blockNumber) return { block: Number(receipt.blockNumber), ok: receipt.status === "0x1" };
      return transaction === null ? null : "known";
    });
  }
}
