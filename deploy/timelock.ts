/** A timelock that can be the admin of a deployment: OpenZeppelin's TimelockController at a CREATE2 address. */
import { mkdir } from "node:fs/promises";
import {
  type Abi,
  type Address,
  encodeDeployData,
  type Hex,
  keccak256,
  type PublicClient,
  stringToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import { loadArtifact } from "./artifacts.ts";
import type { Stage } from "./modules/parameters.ts";
import { CREATE_X, createSalt, encodeDeployCreate2, predictAddress } from "./public/create2.ts";
import { getDataFee } from "./public/data-fee.ts";
import { ensureFactory, getFactoryCost } from "./public/factory.ts";
import { createRpcRequest } from "./public/rpc.ts";
import { type SendingAccount, sendCall, settleSent, type WaitingReport } from "./public/transactions.ts";

/** Its name in the compiler's output. */
export const TIMELOCK_CONTRACT = "TimelockController";

export interface TimelockParameters {
  readonly minDelaySeconds: number;
  /** They schedule and cancel. */
  readonly proposers: readonly Address[];
  /** They execute; the zero address lets anyone. */
  readonly executors: readonly Address[];
}

export interface TimelockOptions {
  readonly client: PublicClient;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly stage: Stage;
  readonly account: SendingAccount;
  readonly parameters: TimelockParameters;
  readonly saltLabel: string;
  /** Holds the signed transaction. */
  readonly folder: string;
  readonly confirmations: number;
  readonly pollMs: number;
}

export interface PreparedTimelock {
  readonly address: Address;
  readonly args: readonly unknown[];
  readonly isDone: boolean;
  readonly gas: bigint;
  readonly gasPrice: bigint;
  readonly costWei: bigint;
  readonly balanceWei: bigint;
  /** Required balance: twice the current fees, because they may rise. */
  readonly requiredWei: bigint;
  /** Deploys it if it is missing. */
  readonly execute: (onWaiting: (report: WaitingReport) => void) => Promise<void>;
}

/** The timelock administers itself: no account can change its roles without its delay. */
const toArguments = ({ minDelaySeconds, proposers, executors }: TimelockParameters): readonly unknown[] => [
  BigInt(minDelaySeconds),
  proposers,
  executors,
  zeroAddress,
];

/** Gas of the creation; before the factory is there, of the code itself. */
async function estimateCreation({ client, account }: TimelockOptions, initCode: Hex, data: Hex): Promise<bigint> {
  const hasFactory = (await client.getCode({ address: CREATE_X })) !== undefined;
  const call = hasFactory ? { to: CREATE_X, data } : { data: initCode };
  return client.estimateGas({ account: account.address, ...call, blockTag: "latest" });
}

/** Reads the chain and returns the timelock's address and cost. Sends nothing. */
export async function prepareTimelock(options: TimelockOptions): Promise<PreparedTimelock> {
  const { client, account, chainId, stage, folder, rpcUrl, confirmations, pollMs, saltLabel } = options;
  const { abi, bytecode } = await loadArtifact(TIMELOCK_CONTRACT);
  const args = toArguments(options.parameters);
  const initCode = encodeDeployData({ abi: abi as Abi, bytecode: bytecode as Hex, args });
  const salt = createSalt(account.address, saltLabel);
  const address = predictAddress(account.address, salt, initCode);
  const data = encodeDeployCreate2(salt, initCode);
  const isDone = (await client.getCode({ address })) !== undefined;
  const [gas, gasPrice, dataFeeWei, factoryWei, balanceWei] = await Promise.all([
    isDone ? 0n : estimateCreation(options, initCode, data),
    client.getGasPrice(),
    isDone ? 0n : getDataFee(client, [{ to: CREATE_X, data }]),
    isDone ? 0n : getFactoryCost(client, stage),
    client.getBalance({ address: account.address }),
  ]);
  const feesWei = gas * gasPrice + dataFeeWei;
  return {
    address,
    args,
    isDone,
    gas,
    gasPrice,
    balanceWei,
    costWei: feesWei + factoryWei,
    requiredWei: 2n * feesWei + factoryWei,
    execute: async (onWaiting) => {
      await mkdir(folder, { recursive: true });
      const sender = {
        client,
        request: createRpcRequest(rpcUrl),
        account,
        chainId,
        folder,
        confirmations,
        pollMs,
        onWaiting,
      };
      await settleSent(sender);
      await ensureFactory(sender, stage);
      if ((await client.getCode({ address })) === undefined) {
        await sendCall(sender, { step: TIMELOCK_CONTRACT, to: CREATE_X, data });
      }
      if ((await client.getCode({ address })) === undefined) throw new Error(`the timelock is not at ${address}`);
    },
  };
}

/** One fact of a timelock, read from the chain. */
export interface TimelockCheck {
  readonly what: string;
  readonly holds: boolean;
}

/** Whether the timelock has the requested delay and roles, and no other admin than itself. */
export async function checkTimelock(
  { client, account, parameters }: TimelockOptions,
  address: Address,
): Promise<readonly TimelockCheck[]> {
  const abi = (await loadArtifact(TIMELOCK_CONTRACT)).abi as Abi;
  const read = (functionName: string, args: readonly unknown[] = []): Promise<unknown> =>
    client.readContract({ address, abi, functionName, args });
  const hasRole = async (role: string, holder: Address, holds: boolean): Promise<boolean> => {
    const id = role === "DEFAULT_ADMIN_ROLE" ? zeroHash : keccak256(stringToHex(role));
    return (await read("hasRole", [id, holder])) === holds;
  };
  const { minDelaySeconds, proposers, executors } = parameters;
  const check = async (what: string, holds: Promise<boolean>): Promise<TimelockCheck> => ({ what, holds: await holds });
  return Promise.all([
    check(
      `the delay is ${minDelaySeconds} s`,
      read("getMinDelay").then((delay) => delay === BigInt(minDelaySeconds)),
    ),
    ...proposers.flatMap((one) => [
      check(`${one} proposes`, hasRole("PROPOSER_ROLE", one, true)),
      check(`${one} cancels`, hasRole("CANCELLER_ROLE", one, true)),
    ]),
    ...executors.map((one) =>
      check(`${one === zeroAddress ? "anyone" : one} executes`, hasRole("EXECUTOR_ROLE", one, true)),
    ),
    check("the timelock administers itself", hasRole("DEFAULT_ADMIN_ROLE", address, true)),
    check(`the deployer ${account.address} has no admin role`, hasRole("DEFAULT_ADMIN_ROLE", account.address, false)),
  ]);
}
