/** What a change of the contracts will send, propose and cost. */
import type { Abi, Address, Hex } from "viem";
import { type AdminCall, decodeRevert, formatCall, loadToken } from "../../../deploy/admin/calls.ts";
import { describeTimelockOperation, type TimelockOperation } from "../../../deploy/admin/timelock-operations.ts";
import { getDataFee } from "../../../deploy/public/data-fee.ts";
import type { SendingAccount } from "../../../deploy/public/transactions.ts";
import { CommandError, toMessage } from "../../cli/failures.ts";
import type { ContractHolder } from "./senders.ts";
import type { ChainTarget } from "./target.ts";

/** Gas of a call that depends on a call that is not on chain yet. */
const UNKNOWN_GAS = 120_000n;

export interface SentCall {
  readonly call: AdminCall;
  readonly account: SendingAccount;
  readonly gas: bigint;
}

/** Calls that a contract must make; its owners propose them. */
export interface Proposal {
  readonly holder: ContractHolder;
  readonly calls: readonly AdminCall[];
  /** The operation to schedule in a timelock; null for other contracts. */
  readonly operation: TimelockOperation | null;
}

export interface ChangePlan {
  readonly sent: readonly SentCall[];
  readonly proposals: readonly Proposal[];
  readonly gas: bigint;
  readonly gasPrice: bigint;
  readonly costWei: bigint;
}

/** The contract rejects the call now; `message` has its error. */
class RevertError extends CommandError {
  readonly code = "REVERTED";
}

/** The revert data in an error's chain of causes; null if there is none. */
function findRevertData(error: unknown): Hex | null {
  for (let cause = error; typeof cause === "object" && cause !== null; cause = (cause as Error).cause) {
    const { data } = cause as { readonly data?: unknown };
    if (typeof data === "string" && data.startsWith("0x")) return data as Hex;
  }
  return null;
}

/** Gas of a call from `from`. Throws the contract's error if the call would revert. */
export async function estimateCall(target: ChainTarget, call: AdminCall, from: Address): Promise<bigint> {
  const { contract, data } = call;
  try {
    return await target.client.estimateGas({ account: from, to: contract.address, data, blockTag: "latest" });
  } catch (cause) {
    const revertData = findRevertData(cause);
    const reason =
      (revertData === null ? null : await decodeAnyRevert(target, contract.abi, revertData)) ?? toMessage(cause);
    throw new RevertError(`${formatCall(call)} by ${from} would be reverted: ${reason}`, {
      next: "nothing was sent; npm run doctor shows the state of the contracts",
      cause,
    });
  }
}

/** The error may come from a contract that this one calls, such as the token. */
async function decodeAnyRevert({ record, contracts }: ChainTarget, own: Abi, data: Hex): Promise<string | null> {
  const others = [await loadToken(record), ...contracts].map(({ abi }) => abi);
  return [own, ...others].map((abi) => decodeRevert(abi, data)).find((text) => text !== null) ?? null;
}

/** Throws `CommandError` if a call cannot be made, before the first one is sent. */
async function checkConditions(call: AdminCall, sender: Address): Promise<void> {
  const problem = (await call.findProblem?.(sender)) ?? null;
  if (problem !== null)
    throw new CommandError(`Nothing was sent, because ${formatCall(call)} would fail: ${problem}.`, {
      next: "correct it and run the same command again",
    });
}

async function planProposals(
  target: ChainTarget,
  calls: readonly (readonly [AdminCall, ContractHolder])[],
): Promise<readonly Proposal[]> {
  const holders = new Map(calls.map(([, holder]) => [holder.address, holder]));
  return Promise.all(
    [...holders.values()].map(async (holder) => {
      const own = calls.filter(([, { address }]) => address === holder.address).map(([call]) => call);
      // Accepting a role works only after its delay, but can be scheduled before.
      for (const call of own) if (call.powers.includes("admin")) await estimateCall(target, call, holder.address);
      const plainCalls = own.map(({ contract, data }) => ({ to: contract.address, data }));
      const operation =
        holder.kind === "timelock" ? await describeTimelockOperation(target.client, holder.address, plainCalls) : null;
      return { holder, calls: own, operation };
    }),
  );
}

/** Estimates every call. Throws if the contract rejects one. */
export async function planChange(
  target: ChainTarget,
  senders: readonly (readonly [AdminCall, SendingAccount | ContractHolder])[],
): Promise<ChangePlan> {
  const sent: SentCall[] = [];
  const proposed: (readonly [AdminCall, ContractHolder])[] = [];
  for (const [call, sender] of senders) {
    if ("kind" in sender) proposed.push([call, sender]);
    else {
      await checkConditions(call, sender.address);
      const gas = call.needsPrevious ? UNKNOWN_GAS : await estimateCall(target, call, sender.address);
      sent.push({ call, account: sender, gas });
    }
  }
  const gas = sent.reduce((sum, { gas: one }) => sum + one, 0n);
  const calls = sent.map(({ call }) => ({ to: call.contract.address, data: call.data }));
  const [gasPrice, dataFeeWei, proposals] = await Promise.all([
    target.client.getGasPrice(),
    getDataFee(target.client, calls),
    planProposals(target, proposed),
  ]);
  return { sent, proposals, gas, gasPrice, costWei: gas * gasPrice + dataFeeWei };
}
