/** Sends the steps of a deployment one by one. Signed bytes are on disk before they are broadcast. */
import { setTimeout as wait } from "node:timers/promises";
import {
  type Address,
  type Hex,
  keccak256,
  type PublicClient,
  type TransactionReceipt,
  type TransactionSerializable,
} from "viem";
import { broadcast, type RpcRequest } from "./rpc.ts";
import { readSent, recordSent, removeSent, type SentTransaction } from "./sent-log.ts";

/** How often to look for a transaction that a node accepted or rejected. */
const MAX_POLLS = 40;
/** A transaction without a block after this time stops the deployment; the next run continues it. */
const TRANSACTION_TIMEOUT_MS = 3_600_000;
/** After this many polls without a block, everything that the chain lacks is sent again. */
const RESEND_POLLS = 20;
/** Time between two progress reports. */
const REPORT_INTERVAL_MS = 10_000;

export interface WaitingReport {
  readonly step: string;
  readonly txHash: Hex;
  readonly seconds: number;
  /** Blocks that confirm the transaction; 0 if it is in no block yet. */
  readonly confirmations: number;
  readonly neededConfirmations: number;
}

/** Signs transactions here or in another process. */
export interface SendingAccount {
  readonly address: Address;
  signTransaction(transaction: TransactionSerializable): Promise<Hex>;
}

export interface SenderOptions {
  readonly client: PublicClient;
  readonly request: RpcRequest;
  readonly account: SendingAccount;
  readonly chainId: number;
  readonly folder: string;
  readonly confirmations: number;
  readonly pollMs: number;
  readonly onWaiting: (report: WaitingReport) => void;
}

export interface Call {
  readonly step: string;
  readonly to: Hex;
  readonly data: Hex;
  readonly value?: bigint;
}

/** A signed transaction is on no chain and cannot be resent as it is: its step must be checked again. */
export class LostTransactionError extends Error {
  readonly step: string;

  constructor(step: string, reason: string) {
    super(`${step}: ${reason}; run the same command again: it sends what is missing on chain`);
    this.name = "LostTransactionError";
    this.step = step;
  }
}

/**
 * False if the transaction is on no chain: the node rejects it and its nonce is free, or another transaction has used
 * it. A public URL is many nodes: one may reject a nonce as used while the next does not show the transaction yet, so a
 * used nonce is polled for a while.
 */
async function rebroadcast(options: SenderOptions, { raw, txHash, nonce }: SentTransaction): Promise<boolean> {
  const { request, account, pollMs } = options;
  let isRejected = false;
  try {
    await broadcast(request, raw, txHash);
  } catch (error) {
    if (typeof (error as { code?: unknown }).code !== "number") throw error;
    isRejected = true;
  }
  const getUsedNonces = async () =>
    Number(await request({ method: "eth_getTransactionCount", params: [account.address, "latest"] }));
  for (let poll = 1; poll <= MAX_POLLS; poll++) {
    if ((await request({ method: "eth_getTransactionByHash", params: [txHash] })) !== null) return true;
    if (isRejected && (await getUsedNonces()) <= nonce) return false;
    await wait(pollMs);
  }
  if (isRejected) return false;
  throw new Error(`the node accepted the transaction ${txHash} but does not have it`);
}

const findReceipt = (client: PublicClient, hash: Hex): Promise<TransactionReceipt | null> =>
  client.getTransactionReceipt({ hash }).catch((error: Error) => {
    if (error.name === "TransactionReceiptNotFoundError") return null;
    throw error;
  });

/** Resends, in order, what the chain lacks: a node dropped it, or a reorganization removed its block. */
async function resendMissing(options: SenderOptions): Promise<void> {
  for (const sent of readSent(options.folder)) {
    if ((await findReceipt(options.client, sent.txHash)) !== null || (await rebroadcast(options, sent))) continue;
    throw new LostTransactionError(sent.step, `the node rejects ${sent.txHash}, which is not in a block`);
  }
}

/** Throws `LostTransactionError` if the chain lost confirmed transactions. */
export async function checkConfirmed({ client, account, folder, pollMs }: SenderOptions): Promise<void> {
  const sent = readSent(folder);
  // One of several nodes behind a URL may not know the last block yet.
  for (let poll = 1; poll <= RESEND_POLLS; poll++) {
    const used = await client.getTransactionCount({ address: account.address, blockTag: "latest" });
    const missing = sent.find(({ nonce }) => nonce >= used);
    if (missing === undefined) return;
    if (poll === RESEND_POLLS)
      throw new LostTransactionError(missing.step, `a reorganization removed ${missing.txHash} from the chain`);
    await wait(pollMs);
  }
}

/** Waits for a transaction's confirmations. Throws if it reverted or is in no block after an hour. */
export async function waitForConfirmations(
  options: SenderOptions,
  { step, txHash }: Pick<SentTransaction, "step" | "txHash">,
  resend = () => resendMissing(options),
): Promise<void> {
  const { client, confirmations: neededConfirmations, pollMs, onWaiting } = options;
  const startMs = performance.now();
  let reports = 1;
  for (let poll = 1; ; poll++) {
    const receipt = await findReceipt(client, txHash);
    const head = await client.getBlockNumber();
    const confirmations = receipt === null ? 0 : Math.max(1, Number(head - receipt.blockNumber) + 1);
    if (confirmations >= neededConfirmations) {
      if (receipt?.status === "reverted") throw new Error(`${step} was reverted on chain in ${txHash}`);
      return;
    }
    if (receipt === null && poll % RESEND_POLLS === 0) await resend();
    const elapsedMs = performance.now() - startMs;
    if (elapsedMs > TRANSACTION_TIMEOUT_MS) {
      throw new Error(`${step} waited an hour for ${txHash}; run the same command again to continue`);
    }
    if (elapsedMs >= reports * REPORT_INTERVAL_MS) {
      reports++;
      onWaiting({ step, txHash, seconds: Math.round(elapsedMs / 1000), confirmations, neededConfirmations });
    }
    await wait(pollMs);
  }
}

/** Completes what an interrupted run had signed: broadcasts the same bytes, so that nothing is sent twice. */
export async function settleSent(options: SenderOptions): Promise<void> {
  for (const sent of readSent(options.folder)) {
    const isKnown = (await findReceipt(options.client, sent.txHash)) !== null || (await rebroadcast(options, sent));
    if (isKnown) await waitForConfirmations(options, sent);
    else removeSent(options.folder, sent.txHash);
  }
}

/** EIP-1559 fees that allow six full blocks; a gas price on chains without a base fee. */
export async function getFees(client: PublicClient) {
  const { baseFeePerGas } = await client.getBlock();
  if (baseFeePerGas === null) return { type: "legacy", gasPrice: await client.getGasPrice() } as const;
  const maxPriorityFeePerGas = await client.estimateMaxPriorityFeePerGas();
  return { type: "eip1559", maxPriorityFeePerGas, maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas } as const;
}

/** Signs, stores and sends one step, and waits for its confirmations. */
export async function sendCall(options: SenderOptions, { step, to, data, value = 0n }: Call): Promise<void> {
  const { client, request, account, chainId, folder } = options;
  const gas = await client.estimateGas({ account: account.address, to, data, value, blockTag: "latest" });
  const usedNonces = readSent(folder).map(({ nonce }) => nonce + 1);
  const pendingNonce = await client.getTransactionCount({ address: account.address, blockTag: "pending" });
  // One of several nodes behind a URL may not know the last transaction yet.
  const nonce = Math.max(pendingNonce, ...usedNonces);
  const fees = await getFees(client);
  const raw = await account.signTransaction({ ...fees, chainId, nonce, to, data, value, gas: (gas * 11n) / 10n });
  const sent = { step, nonce, txHash: keccak256(raw), raw };
  recordSent(folder, sent);
  await broadcast(request, raw, sent.txHash);
  await waitForConfirmations(options, sent);
}
