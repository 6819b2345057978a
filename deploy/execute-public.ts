import { mkdir } from "node:fs/promises";
import { type Address, createPublicClient, custom, type Hex, keccak256, type PublicClient, zeroAddress } from "viem";
import { replacePublicFile } from "../backend/adapters/node/replace-file.ts";
import { ACCESS_CONTROL_ABI } from "./abi.ts";
import type { ArcadeParameters } from "./modules/parameters.ts";
import type { NetworkConfig } from "./networks.ts";
import { createPlan, type Plan } from "./plan.ts";
import { isStepDone } from "./progress.ts";
import { CREATE_X, createSalt, encodeDeployCreate2, predictAddress } from "./public/create2.ts";
import { findCreation } from "./public/creation.ts";
import { type PreflightReport, runPreflightChecks } from "./public/errors.ts";
import { ensureFactory } from "./public/factory.ts";
import { createRpcRequest, type RpcRequest } from "./public/rpc.ts";
import { readSent } from "./public/sent-log.ts";
import {
  computeFingerprint,
  type DeploymentState,
  findDifference,
  hashSteps,
  readGenesisHash,
  readState,
  writeState,
} from "./public/state.ts";
import {
  checkConfirmed,
  LostTransactionError,
  type SenderOptions,
  type SendingAccount,
  sendCall,
  settleSent,
  type WaitingReport,
} from "./public/transactions.ts";
import {
  type ContractRecord,
  createRecord,
  type DeploymentRecord,
  readDeployment,
  toRecordArguments,
  writeDeployment,
} from "./record.ts";
import { findSeaport } from "./seaport.ts";
import { type CreateStep, listSteps, type Step, type StepOptions } from "./steps.ts";

export interface DeployOptions {
  readonly rpcUrl: string;
  readonly account: SendingAccount;
  readonly network: NetworkConfig;
  readonly parameters: ArcadeParameters;
  /** Label of the salt: a different label gives the same contracts different addresses. */
  readonly saltLabel: string;
  /** Holds the signed transactions. Losing the folder is safe: the chain shows what is done. */
  readonly folder: string;
  /** The addresses file. */
  readonly recordPath: string;
  readonly confirmations: number;
  readonly pollMs: number;
  /** How requests reach the node; HTTP by default. A rehearsal injects its faults here. */
  readonly request?: RpcRequest;
  /**
   * The parameters that differ from the chain, as sentences. If there are none, parameters that changed after the
   * deployment (a rotated signer, other caps) are accepted. Without this function they count as another deployment.
   */
  readonly findDifferences?: () => Promise<readonly string[]>;
}

export type DeployEvent =
  | { readonly kind: "done"; readonly step: string }
  /** A reorganization removed a step from the chain, or a node dropped it: it is sent again. */
  | { readonly kind: "lost"; readonly message: string }
  | ({ readonly kind: "waiting" } & WaitingReport);

/** How often a deployment checks all steps again, before it leaves the rest to the next run. */
const MAX_ROUNDS = 10;

export interface PreparedDeployment {
  readonly client: PublicClient;
  readonly plan: Plan;
  readonly preflight: PreflightReport;
  /** `growing`: complete except for the contracts of new games. */
  readonly progress: "fresh" | "interrupted" | "growing" | "complete";
  /** Contracts of games that are missing in the addresses file: `nft.flappybots`. */
  readonly newGames: readonly string[];
  /** Deploys what is missing and writes the addresses file. Call it once, after the plan was confirmed. */
  readonly execute: (onEvent: (event: DeployEvent) => void) => Promise<DeploymentRecord>;
}

/** The folder holds a different deployment than the requested one. */
export class DifferentDeploymentError extends Error {
  constructor(folder: string, reason: string) {
    super(`${folder} holds another deployment: ${reason}`);
    this.name = "DifferentDeploymentError";
  }
}

function getProgress({ steps }: Plan): PreparedDeployment["progress"] {
  if (steps.every(({ isDone }) => isDone)) return "complete";
  if (!steps.some(({ isDone }) => isDone)) return "fresh";
  return steps.every(({ kind, isDone }) => kind === "create" || isDone) ? "growing" : "interrupted";
}

const listNewGames = ({ games }: ArcadeParameters, { nft }: DeploymentRecord) =>
  games.filter(({ slug }) => nft[slug] === undefined);

/** The first contract whose address in the file differs from its step; null if there is none. */
function findMovedContract(record: DeploymentRecord, steps: readonly Step[]): string | null {
  const moved = steps.find((step) => {
    const known = record.contracts[step.name];
    return known !== undefined && step.kind === "create" && known.address.toLowerCase() !== step.address.toLowerCase();
  });
  return moved === undefined ? null : `${moved.name} is at ${record.contracts[moved.name]!.address}`;
}

/** Throws `DifferentDeploymentError` if a contract has, or will have, an admin that is not in the parameters. */
async function checkAdmins(
  client: PublicClient,
  { admin, next = {} }: ArcadeParameters,
  { rewards, identity, nft }: DeploymentRecord,
  recordPath: string,
): Promise<void> {
  for (const address of [rewards, identity, ...Object.values(nft)]) {
    const contract = { address, abi: ACCESS_CONTROL_ABI } as const;
    const [pending] = await client.readContract({ ...contract, functionName: "pendingDefaultAdmin" });
    const present = await client.readContract({ ...contract, functionName: "defaultAdmin" });
    const found = pending === zeroAddress ? present : pending;
    if ([admin, next.admin].some((one) => one?.toLowerCase() === found.toLowerCase())) continue;
    const reason = `the admin of ${address} is or will be ${found}, which is neither "admin" nor in "next" in the file of --roles`;
    throw new DifferentDeploymentError(recordPath, reason);
  }
}

/**
 * The steps of a deployment. If parameters changed and the chain shows the new ones, existing contracts keep their
 * constructor arguments. Throws `DifferentDeploymentError` if the chain does not.
 */
async function listOwnSteps(
  { parameters, recordPath, findDifferences }: DeployOptions,
  client: PublicClient,
  record: DeploymentRecord | null,
  stepOptions: StepOptions,
): Promise<readonly Step[]> {
  const steps = await listSteps(parameters, stepOptions);
  if (record === null) return steps;
  const moved = findMovedContract(record, steps);
  const hasNewGame = listNewGames(parameters, record).length > 0;
  if (moved === null && !hasNewGame) return steps;
  const getKnownArguments = (name: string) => record.contracts[name]?.args ?? null;
  const listKnownSteps = async () => {
    if (hasNewGame) await checkAdmins(client, parameters, record, recordPath);
    // A new game gets the planned roles at once, so it needs no later change.
    const { admin, guardian, next = {} } = parameters;
    const roles = { admin: (next.admin ?? admin) as Address, guardian: (next.guardian ?? guardian) as Address };
    return listSteps({ ...parameters, ...roles }, { ...stepOptions, getKnownArguments });
  };
  if (moved === null) return listKnownSteps();
  const knownSteps = await listSteps(parameters, { ...stepOptions, getKnownArguments });
  if (findDifferences === undefined || findMovedContract(record, knownSteps) !== null) {
    const reason = `contracts, parameters, deployer or salt have changed since (${moved})`;
    throw new DifferentDeploymentError(recordPath, reason);
  }
  const differences = await findDifferences();
  if (differences.length === 0) return listKnownSteps();
  throw new DifferentDeploymentError(recordPath, `the chain does not show these parameters: ${differences.join("; ")}`);
}

class PublicExecutor {
  readonly #options: DeployOptions;
  readonly #client: PublicClient;
  readonly #steps: readonly Step[];
  readonly #state: DeploymentState;

  constructor(options: DeployOptions, client: PublicClient, steps: readonly Step[], state: DeploymentState) {
    this.#options = options;
    this.#client = client;
    this.#steps = steps;
    this.#state = state;
  }

  /** Sends every step that the chain does not show, and checks all of them again after a reorganization. */
  async send(onEvent: (event: DeployEvent) => void): Promise<void> {
    const { account, folder, rpcUrl, confirmations, pollMs } = this.#options;
    const { chainId } = this.#state;
    const onWaiting = (report: WaitingReport) => onEvent({ kind: "waiting", ...report });
    const request = this.#options.request ?? createRpcRequest(rpcUrl);
    const sender = { client: this.#client, request, account, chainId, folder, confirmations, pollMs, onWaiting };
    for (let round = 1; ; round++) {
      try {
        return await this.#sendSteps(sender, onEvent);
      } catch (error) {
        if (!(error instanceof LostTransactionError) || round === MAX_ROUNDS) throw error;
        onEvent({ kind: "lost", message: error.message });
      }
    }
  }

  async #sendSteps(sender: SenderOptions, onEvent: (event: DeployEvent) => void): Promise<void> {
    const { client, account } = sender;
    const { parameters, network } = this.#options;
    const { salt } = this.#state;
    await settleSent(sender);
    await ensureFactory(sender, network.stage);
    const progress = { client, steps: this.#steps, deployer: account.address, parameters };
    for (const step of this.#steps) {
      await checkConfirmed(sender);
      if (!(await isStepDone(progress, step))) {
        const call =
          step.kind === "call"
            ? { to: step.to, data: step.data }
            : { to: CREATE_X, data: encodeDeployCreate2(salt, step.initCode) };
        await sendCall(sender, { step: step.name, ...call });
        if (!(await isStepDone(progress, step))) throw new Error(`${step.name} was sent and has no effect on chain`);
      }
      onEvent({ kind: "done", step: step.name });
    }
    for (const step of this.#steps)
      if (!(await isStepDone(progress, step)))
        throw new LostTransactionError(step.name, "a reorganization removed it from the chain");
  }

  async #readContract(step: CreateStep, known: ContractRecord | undefined): Promise<ContractRecord> {
    const code = await this.#client.getCode({ address: step.address });
    if (code === undefined) throw new Error(`${step.name} is not at ${step.address}`);
    const sent = readSent(this.#options.folder).findLast(({ step: name }) => name === step.name);
    const creation =
      known ??
      (sent === undefined
        ? await findCreation(this.#client, step.address)
        : {
            txHash: sent.txHash,
            block: Number((await this.#client.getTransactionReceipt({ hash: sent.txHash })).blockNumber),
          });
    const { block, txHash } = creation;
    return { address: step.address, args: await toRecordArguments(step), block, txHash, codeHash: keccak256(code) };
  }

  /** Writes the addresses file of the current state on chain. */
  async writeRecord(known: DeploymentRecord | null): Promise<DeploymentRecord> {
    const { parameters, recordPath } = this.#options;
    const contracts: { [name: string]: ContractRecord } = {};
    for (const step of this.#steps) {
      if (step.kind === "create") {
        contracts[step.name] = await this.#readContract(step, known?.contracts[step.name]);
      }
    }
    const firstBlock = Math.min(...Object.values(contracts).map(({ block }) => block));
    const fields = {
      chainId: this.#state.chainId,
      startBlock: Math.min(this.#state.startBlock, firstBlock),
      market: await findSeaport(this.#client),
      publicUrl: parameters.publicUrl,
      fingerprint: computeFingerprint(this.#steps),
      deployer: this.#state.deployer,
      contracts,
    };
    const record = createRecord(
      fields,
      parameters.games.map(({ slug }) => slug),
    );
    await writeDeployment(recordPath, record, replacePublicFile);
    return record;
  }
}

/** Reads chain and folder and plans the deployment. Sends nothing. */
export async function prepareDeployment(options: DeployOptions): Promise<PreparedDeployment> {
  const { account, network, parameters, folder, recordPath } = options;
  const request = options.request ?? createRpcRequest(options.rpcUrl);
  const client = createPublicClient({ transport: custom({ request: request as never }), cacheTime: 0 });
  const chainId = await client.getChainId();
  if (chainId !== network.chainId) {
    throw new DifferentDeploymentError(options.rpcUrl, `expected chain ${network.chainId}, received chain ${chainId}`);
  }
  const deployer = account.address;
  const salt = createSalt(deployer, options.saltLabel);
  const predict = (_: string, initCode: Hex) => predictAddress(deployer, salt, initCode);
  const known = await readDeployment(recordPath);
  const steps = await listOwnSteps(options, client, known, { deployer, predictAddress: predict });
  const genesisHash = await readGenesisHash(client);
  const expectedState = { chainId, genesisHash, deployer, salt, steps: hashSteps(steps) };
  const savedState = await readState(folder);
  const difference = savedState === null ? null : findDifference(savedState, expectedState);
  if (difference !== null) throw new DifferentDeploymentError(folder, difference);
  const plan = await createPlan({ client, steps, deployer, salt, parameters, stage: network.stage });
  return {
    client,
    plan,
    preflight: await runPreflightChecks(client, network, parameters, deployer),
    progress: getProgress(plan),
    newGames: known === null ? [] : listNewGames(parameters, known).map(({ slug }) => `nft.${slug}`),
    execute: async (onEvent) => {
      await mkdir(folder, { recursive: true });
      const startBlock = savedState?.startBlock ?? Number(await client.getBlockNumber()) + 1;
      const state: DeploymentState = { ...expectedState, startBlock };
      await writeState(folder, state);
      const executor = new PublicExecutor(options, client, steps, state);
      await executor.send(onEvent);
      return executor.writeRecord(known);
    },
  };
}
