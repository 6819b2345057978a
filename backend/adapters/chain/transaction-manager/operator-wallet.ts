import type { Address, Hex } from "viem";
import { ExecutionRevertedError, isAddressEqual, numberToHex, type PublicClient } from "viem";
import type { ArcadeError } from "../../../../domain/errors.ts";
import { findRevertData } from "../../../../domain/reverts.ts";
import type { TransactionRow } from "../../../ports/store/chain.ts";
import { describeRevert } from "../reverts.ts";
import type { Rpc } from "../rpc.ts";
import { findRpcError, isRejection } from "../rpc-errors.ts";
import { hashTransaction, type OperatorAccount } from "./account.ts";
import { SIZE_MIN } from "./batch-size.ts";
import { boundTip, capFees, type Fees, type SignedVersion } from "./fees.ts";
import { type CallRequest, GasLimits } from "./gas-limits.ts";
import { ACCEPTED, classifySendError, type SendOutcome } from "./send-outcome.ts";

/** Facts shared by all transactions that are prepared together. */
export interface AccountState extends Fees {
  /** The number of the operator's transactions in blocks: the lowest free nonce. */
  readonly minedCount: number;
}

export interface PreparedTransaction extends Fees {
  readonly gas: bigint;
}

export interface BlockId {
  readonly number: number;
  readonly hash: Hex;
}

/**
 * Where a transaction is: its block and whether it succeeded (null if the node lacks the receipt, for example after
 * pruning); `known` while it waits; null if no node has it.
 */
export type FoundTransaction = { readonly block: number; readonly ok: boolean | null } | "known" | null;

export interface UsedNonce {
  readonly txHash: Hex;
  readonly block: number;
  readonly to: Address | null;
  readonly data: Hex;
  readonly value: bigint;
}

interface MinedReceipt {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex | null;
  readonly status: Hex;
}

const toMined = ({ blockNumber, status }: MinedReceipt) => ({ block: Number(blockNumber), ok: status === "0x1" });

async function readFees(client: PublicClient, feeCap: bigint | null): Promise<Fees> {
  const [block, proposedTip] = await Promise.all([
    client.getBlock({ blockTag: "latest" }),
    client.estimateMaxPriorityFeePerGas(),
  ]);
  const baseFeePerGas = block.baseFeePerGas ?? 0n;
  const maxPriorityFeePerGas = boundTip(proposedTip, baseFeePerGas);
  // Enough for a base fee that rises by an eighth in each of six full blocks.
  const maxFeePerGas = baseFeePerGas * 2n + maxPriorityFeePerGas;
  return capFees({ maxFeePerGas, maxPriorityFeePerGas }, feeCap);
}

/** The operator's account on the node: estimates, signs, sends and finds its transactions. */
export class OperatorWallet {
  readonly #rpc: Rpc;
  readonly #largeBatchRpc: Rpc;
  readonly #account: OperatorAccount;
  readonly #gasLimits: GasLimits;
  readonly #feeCap: bigint | null;

  /**
   * `largeBatchRpc`: for more than 20 calls at once. `feeCap`: the highest fee per gas in wei, `gasMax`: the most gas
   * that is signed; null: no limit.
   */
  constructor(
    rpc: Rpc,
    largeBatchRpc: Rpc,
    account: OperatorAccount,
    { feeCap, gasMax }: { readonly feeCap: bigint | null; readonly gasMax: bigint | null },
  ) {
    this.#feeCap = feeCap;
    this.#largeBatchRpc = largeBatchRpc;
    this.#gasLimits = new GasLimits(account.address, rpc.chainId, gasMax);
    this.#rpc = rpc;
    this.#account = account;
  }

  #getRpc(calls: number): Rpc {
    return calls > SIZE_MIN ? this.#largeBatchRpc : this.#rpc;
  }

  getFees(): Promise<Fees> {
    return this.#rpc.withDeadline((client) => readFees(client, this.#feeCap));
  }

  /** Why a sender's call fails in the state after a block; null if it does not, or if the node lacks that state. */
  async findRevert(
    { from, to, data, value }: Pick<TransactionRow, "from" | "to" | "data" | "value">,
    block: number,
  ): Promise<string | null> {
    const call = { from, to, data, value: numberToHex(value) };
    const request = { method: "eth_call", params: [call, numberToHex(block)] };
    return await this.#rpc.withDeadline(async (client) => {
      try {
        await client.request(request as never);
        return null;
      } catch (error) {
        if (!isRejection(error)) throw error;
        const cause = findRevertData(error) === null ? null : findRpcError(error);
        return cause === null ? null : describeRevert(new ExecutionRevertedError({ cause }))!.text;
      }
    });
  }

  /** In wei. */
  getBalance(): Promise<bigint> {
    const { address } = this.#account;
    return this.#rpc.withDeadline((client) => client.getBalance({ address }));
  }

  getMinedCount(address = this.#account.address): Promise<number> {
    return this.#rpc.withDeadline((client) => client.getTransactionCount({ address }));
  }

  /** `getMinedCount` as of an earlier block; null if the node no longer has that state. */
  getMinedCountAt(block: number, address = this.#account.address): Promise<number | null> {
    return this.#rpc.withDeadline(async (client) => {
      try {
        return await client.getTransactionCount({ address, blockNumber: BigInt(block) });
      } catch (error) {
        if (!isRejection(error)) throw error;
        return null;
      }
    });
  }

  getPendingCount(): Promise<number> {
    const { address } = this.#account;
    return this.#rpc.withDeadline((client) => client.getTransactionCount({ address, blockTag: "pending" }));
  }

  /** The latest block, and the current hash of block `number`; null if there is no such block. */
  readHead(number: number): Promise<{ readonly head: BlockId; readonly hashAtNumber: Hex | null }> {
    return this.#rpc.withDeadline(async (client) => {
      const [head, block] = await Promise.all([
        client.request({ method: "eth_getBlockByNumber", params: ["latest", false] }),
        client.request({ method: "eth_getBlockByNumber", params: [numberToHex(number), false] }),
      ]);
      if (!head?.number || !head.hash) throw new Error("the node has no latest block");
      return { head: { number: Number(head.number), hash: head.hash }, hashAtNumber: block?.hash ?? null };
    });
  }

  /**
   * Simulates the calls and reads what their transactions need, usually in one round trip. A call that would fail has
   * an error instead of a gas limit: `TX_FAILED` if the contract reverts.
   */
  prepare(
    requests: readonly CallRequest[],
  ): Promise<{ readonly state: AccountState; readonly gas: readonly (bigint | ArcadeError)[] }> {
    const { address } = this.#account;
    return this.#getRpc(requests.length).withDeadline(async (client) => {
      const [minedCount, fees, gas] = await Promise.all([
        client.getTransactionCount({ address }),
        readFees(client, this.#feeCap),
        Promise.all(requests.map((request) => this.#gasLimits.find(client, request))),
      ]);
      return { state: { ...fees, minedCount }, gas };
    });
  }

  async sign(
    { to, data, value }: CallRequest,
    nonce: number,
    { gas, maxFeePerGas, maxPriorityFeePerGas }: PreparedTransaction,
  ): Promise<SignedVersion> {
    const { chainId } = this.#rpc;
    const fees = { maxFeePerGas, maxPriorityFeePerGas };
    const transaction = { to, data, value, gas, nonce, chainId, ...fees, type: "eip1559" as const };
    const raw = await this.#account.signTransaction(transaction);
    return { raw, txHash: hashTransaction(raw), ...fees };
  }

  /** Sends signed transactions in one request, in order. Throws `CHAIN_UNAVAILABLE` if the node does not respond. */
  send(raws: readonly Hex[]): Promise<readonly SendOutcome[]> {
    return this.#getRpc(raws.length).withDeadline((client) => Promise.all(raws.map((raw) => sendOne(client, raw))));
  }

  /** Looks up transactions by hash, one by one. */
  locate(hashes: readonly Hex[]): Promise<readonly FoundTransaction[]> {
    return this.#rpc.withDeadline((client) => Promise.all(hashes.map((hash) => locateOne(client, hash))));
  }

  /** The transaction that used a sender's nonce, with its block. Null if the node lacks the old states. */
  async findByNonce({ from, nonce }: Pick<TransactionRow, "from" | "nonce">, head: number): Promise<UsedNonce | null> {
    let [before, after] = [-1, head];
    while (after - before > 1) {
      const middle = (before + after) >> 1;
      const count = await this.getMinedCountAt(middle, from);
      if (count !== null && count > nonce) after = middle;
      else before = middle;
    }
    const { transactions } = await this.#rpc.withDeadline((client) =>
      client.getBlock({ blockNumber: BigInt(after), includeTransactions: true }),
    );
    const found = transactions.find((one) => one.nonce === nonce && isAddressEqual(one.from, from));
    if (found === undefined) return null;
    const { hash, to, input, value } = found;
    return { txHash: hash, block: after, to, data: input, value };
  }

  /** All transactions of blocks, by hash. Null if the node cannot list a block's receipts. */
  async locateInBlocks(
    numbers: readonly number[],
  ): Promise<ReadonlyMap<Hex, { readonly block: number; readonly ok: boolean }> | null> {
    const readBlock = (client: PublicClient, number: number) =>
      client.request({ method: "eth_getBlockReceipts", params: [numberToHex(number)] } as never).catch((error) => {
        // Also if the receipts of several blocks exceed the maximum response size.
        if (!isRejection(error)) throw error;
        return null;
      }) as Promise<readonly MinedReceipt[] | null>;
    const blocks = await this.#rpc.withDeadline((client) =>
      Promise.all(numbers.map((number) => readBlock(client, number))),
    );
    const found = new Map<Hex, { readonly block: number; readonly ok: boolean }>();
    for (const receipts of blocks) {
      if (receipts === null) return null;
      for (const receipt of receipts) found.set(receipt.transactionHash, toMined(receipt));
    }
    return found;
  }
}

async function sendOne(client: PublicClient, raw: Hex): Promise<SendOutcome> {
  try {
    await client.request({ method: "eth_sendRawTransaction", params: [raw] });
    return ACCEPTED;
  } catch (error) {
    const outcome = classifySendError(error);
    if (outcome === null) throw error;
    return outcome;
  }
}

async function locateOne(client: PublicClient, hash: Hex): Promise<FoundTransaction> {
  const [receipt, transaction] = await Promise.all([
    client.request({ method: "eth_getTransactionReceipt", params: [hash] }),
    client.request({ method: "eth_getTransactionByHash", params: [hash] }),
  ]);
  if (receipt?.blockNumber) return toMined(receipt);
  if (transaction?.blockNumber) return { block: Number(transaction.blockNumber), ok: null };
  return transaction === null ? null : "known";
}
