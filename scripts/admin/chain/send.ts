/** Sends the calls of a plan. */
import { type Hex, keccak256 } from "viem";
import { formatCall } from "../../../deploy/admin/calls.ts";
import { broadcast, createRpcRequest } from "../../../deploy/public/rpc.ts";
import { getFees } from "../../../deploy/public/transactions.ts";
import { LOCAL_CHAIN_ID } from "../../../domain/chain-ids.ts";
import { CommandError, EXIT, toMessage } from "../../cli/failures.ts";
import { estimateCall, type SentCall } from "./plan.ts";
import type { ChainTarget } from "./target.ts";

const POLL_MS = { local: 50, public: 1_000 };
/** Gas limit above the estimate, in percent: the state may change before the block. */
const GAS_MARGIN_PERCENT = 20n;

export interface SentTransaction {
  readonly txHash: Hex;
  readonly block: number;
}

/** Waits for a transaction. Throws `CommandError` if it reverts or is in no block after three minutes. */
async function waitForBlock(
  { client, context }: ChainTarget,
  { call }: SentCall,
  txHash: Hex,
): Promise<SentTransaction> {
  const pollingInterval = context.network.chainId === LOCAL_CHAIN_ID ? POLL_MS.local : POLL_MS.public;
  const receipt = await client.waitForTransactionReceipt({ hash: txHash, pollingInterval }).catch((cause: unknown) => {
    throw new CommandError(`${formatCall(call)} was sent as ${txHash} but is not in a block yet.`, {
      exitCode: EXIT.chain,
      next: "run the same command again: it sends only what the chain does not show",
      cause,
    });
  });
  if (receipt.status === "success") return { txHash, block: Number(receipt.blockNumber) };
  throw new CommandError(`${formatCall(call)} was reverted on chain in ${txHash}.`, {
    exitCode: EXIT.chain,
    next: "the contracts changed in the meantime: run the same command again",
  });
}

/** Like `estimateCall`, but a failure lists what was already sent. */
const estimateAfter = (target: ChainTarget, { call, account }: SentCall, before: readonly SentCall[]) =>
  estimateCall(target, call, account.address).catch((cause: unknown) => {
    const names = before.map((sent) => formatCall(sent.call)).join(", ");
    throw new CommandError(`${toMessage(cause)}. Sent before it: ${names}.`, {
      next: "see the state of the contracts with npm run doctor, and run the same command again",
      cause,
    });
  });

/** Broadcasts all calls in order without waiting for blocks in between, then waits for each. */
export async function sendCalls(
  target: ChainTarget,
  calls: readonly SentCall[],
  onMined: (sent: SentCall, transaction: SentTransaction) => void,
): Promise<readonly SentTransaction[]> {
  const { client, context } = target;
  const { chainId } = context.network;
  const request = createRpcRequest(context.rpcUrl);
  const nonces = new Map<string, number>();
  const waiting: Promise<SentTransaction>[] = [];
  for (const [index, sent] of calls.entries()) {
    const { account, call } = sent;
    if (call.needsPrevious) await Promise.all(waiting);
    const { contract, data } = call;
    const estimate = call.needsPrevious ? await estimateAfter(target, sent, calls.slice(0, index)) : sent.gas;
    const nonce =
      nonces.get(account.address) ??
      (await client.getTransactionCount({ address: account.address, blockTag: "pending" }));
    nonces.set(account.address, nonce + 1);
    const gas = (estimate * (100n + GAS_MARGIN_PERCENT)) / 100n;
    const fees = await getFees(client);
    const raw = await account.signTransaction({ ...fees, chainId, nonce, to: contract.address, data, gas });
    await broadcast(request, raw, keccak256(raw));
    const mined = waitForBlock(target, sent, keccak256(raw)).then((transaction) => {
      onMined(sent, transaction);
      return transaction;
    });
    // The failure is reported below, where all are awaited.
    mined.catch(() => {});
    waiting.push(mined);
  }
  return Promise.all(waiting);
}
