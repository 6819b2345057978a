import { mkdir } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import {
  DeploymentResultType,
  type EIP1193Provider,
  type ExecutionEvent,
  type ExecutionEventListener,
  deploy as runIgnition,
} from "@nomicfoundation/ignition-core";
import { createPublicClient, custom, type PrivateKeyAccount, type PublicClient } from "viem";
import { artifactResolver } from "../artifacts.ts";
import { makeArcadeModule } from "../modules/arcade.ts";
import type { ArcadeParameters } from "../modules/parameters.ts";
import type { NetworkPlan } from "../parameters/network.ts";
import { type DeploymentRecord, stringify, writeDeployment } from "../record.ts";
import { makeSalt } from "./create2.ts";
import { findObjections, type Objections } from "./faults.ts";
import { healJournal, readJournal } from "./heal.ts";
import { listSteps } from "./module-steps.ts";
import { makePlan, type Plan } from "./plan.ts";
import { createDeployerProvider, createRequest } from "./provider.ts";
import { makeRecord } from "./record.ts";
import { type DeploymentState, differenceOf, fingerprintOf, readState, writeState } from "./state.ts";

type Hex = `0x${string}`;

/** So long a transaction waits for a block before the deployment stops. */
const PATIENCE_MS = 3_600_000;
/** Looks at an account whose last transactions still wait for their confirmations. */
const QUIET_LOOKS = 600;

export interface DeployJob {
  readonly rpcUrl: string;
  readonly account: PrivateKeyAccount;
  readonly network: NetworkPlan;
  readonly parameters: ArcadeParameters;
  /** Label of the salt: another one gives other addresses to the same contracts. */
  readonly saltLabel: string;
  /** Where the journal is kept; a deployment that was begun there is continued. */
  readonly folder: string;
  /** The addresses file. */
  readonly recordPath: string;
  readonly confirmations: number;
  readonly pollMs: number;
}

export interface PreparedDeployment {
  readonly client: PublicClient;
  readonly plan: Plan;
  readonly objections: Objections;
  readonly progress: "fresh" | "interrupted" | "complete";
  /** Deploys what is missing and writes the addresses file. Call it once, after the plan was agreed to. */
  readonly execute: (tell: (event: ExecutionEvent) => void) => Promise<DeploymentRecord>;
}

/** What was begun is another deployment than the one that is asked for. */
export class DifferentDeploymentError extends Error {
  constructor(folder: string, reason: string) {
    super(`${folder} holds another deployment: ${reason}`);
    this.name = "DifferentDeploymentError";
  }
}

/** Every method of Ignition's listener, told alike. */
const listenTo = (tell: (event: ExecutionEvent) => void): ExecutionEventListener =>
  new Proxy({} as ExecutionEventListener, {
    get: (_, name) => (name === "then" ? undefined : async (event: ExecutionEvent) => tell(event)),
  });

/** True for Ignition's IGN10402 and IGN10403: transactions of the deployer lack confirmations. */
const isImpatient = (error: unknown): boolean => /Please wait until they get/.test((error as Error).message);

async function ignite(
  job: DeployJob,
  provider: EIP1193Provider,
  salt: Hex,
  tell: (event: ExecutionEvent) => void,
): Promise<void> {
  for (let look = 1; ; look++) {
    try {
      const result = await runIgnition({
        artifactResolver,
        provider,
        ignitionModule: makeArcadeModule(job.parameters),
        deploymentParameters: {},
        deploymentDir: job.folder,
        accounts: [job.account.address],
        strategy: "create2",
        strategyConfig: { salt },
        executionEventListener: listenTo(tell),
        disableFeeBumping: true,
        config: {
          blockPollingInterval: job.pollMs,
          requiredConfirmations: job.confirmations,
          timeBeforeBumpingFees: PATIENCE_MS,
        },
      });
      if (result.type === DeploymentResultType.SUCCESSFUL_DEPLOYMENT) return;
      throw new Error(`the deployment stopped: ${stringify(result)}`);
    } catch (error) {
      if (!isImpatient(error) || look === QUIET_LOOKS) throw error;
      await wait(job.pollMs);
    }
  }
}

/** Looks at chain and journal and says what is going to happen. Sends nothing. */
export async function prepareDeployment(job: DeployJob): Promise<PreparedDeployment> {
  const { account, network, parameters, folder } = job;
  const request = createRequest(job.rpcUrl);
  const client = createPublicClient({ transport: custom({ request: request as never }), cacheTime: 0 });
  const chainId = await client.getChainId();
  if (chainId !== network.chainId) {
    throw new DifferentDeploymentError(job.rpcUrl, `expected chain ${network.chainId}, the node says ${chainId}`);
  }
  const salt = makeSalt(account.address, job.saltLabel);
  const steps = await listSteps(makeArcadeModule(parameters), account.address, salt);
  const genesisHash = (await client.getBlock({ blockNumber: 0n })).hash;
  const begun = await readState(folder);
  const now = { chainId, genesisHash, deployer: account.address, salt, fingerprint: fingerprintOf(parameters, steps) };
  const difference = begun === null ? null : differenceOf(begun, now);
  if (difference !== null) throw new DifferentDeploymentError(folder, difference);
  const done = new Set((await readJournal(folder)).done.map((id) => id.replace("#", ".")));
  const plan = await makePlan({ client, steps, deployer: account.address, salt, parameters, done });
  const objections = await findObjections(client, network, parameters, account.address);
  const isComplete = steps.every(({ name }) => done.has(name));

  return {
    client,
    plan,
    objections,
    progress: begun === null ? "fresh" : isComplete ? "complete" : "interrupted",
    execute: async (tell) => {
      await mkdir(folder, { recursive: true });
      const state: DeploymentState = begun ?? { ...now, startBlock: Number(await client.getBlockNumber()) + 1 };
      if (begun === null) await writeState(folder, state);
      const provider = createDeployerProvider(request, account, chainId, folder);
      await healJournal(folder, request, provider, job.pollMs);
      await ignite(job, provider, salt, tell);
      const record = await makeRecord({ client, parameters, steps, state, folder });
      await writeDeployment(job.recordPath, record);
      return record;
    },
  };
}
