/** The options of `npm run deploy`. */
import { resolve } from "node:path";
import { findNetwork, getNetworkByChainId, NETWORKS, type NetworkConfig } from "../../deploy/networks.ts";
import { createRpcRequest } from "../../deploy/public/rpc.ts";
import { isLocalChain } from "../../domain/chain-ids.ts";
import { type ParsedArguments, parseCount } from "../cli/command.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { findGivenNode, RPC_FLAG } from "../cli/node.ts";
import { findNodeFault } from "../cli/node-faults.ts";
import { readServiceConfig } from "../cli/service-config.ts";
import { resolveUserPath } from "../cli/user-paths.ts";
import { root } from "../start/build.ts";

const names = Object.keys(NETWORKS).join("|");

export const NETWORK_FLAGS = {
  network: { type: "string", value: names, help: "the network; for any other chain give only --rpc" },
  ...RPC_FLAG,
} as const;

export const DEPLOY_FLAGS = {
  ...NETWORK_FLAGS,
  roles: { type: "string", value: "FILE", help: "the holder of each role (JSON, only addresses); not needed locally" },
  salt: {
    type: "string",
    value: "LABEL",
    help: "label of the salt; another label gives other addresses",
    default: "agent-arcade",
  },
  out: { type: "string", value: "DIR", help: "journal and addresses file", default: "deploy/deployments" },
  confirmations: {
    type: "string",
    value: "N",
    help: "blocks to wait for after each step; by default the network's number",
  },
  plan: { type: "boolean", help: "only show the plan" },
  rehearse: {
    type: "boolean",
    help: "deploy to a local copy of the chain with interruptions at every step; sends nothing to the chain itself",
  },
  yes: { type: "boolean", help: "send without confirmation (for CI)" },
  "no-verify": { type: "boolean", help: "do not publish the sources" },
  "verify-only": { type: "boolean", help: "publish the sources of an existing deployment" },
  "etherscan-url": { type: "string", value: "URL", help: "an explorer that speaks Etherscan's API version 2" },
  "public-url": { type: "string", value: "URL", help: "roles: where agents reach the service" },
  proposers: { type: "string", value: "ADDRESS,ADDRESS", help: "timelock: who schedules and cancels calls" },
  executors: { type: "string", value: "ADDRESS,ADDRESS|any", help: "timelock: who executes; by default the proposers" },
  "delay-seconds": {
    type: "string",
    value: "N",
    help: "timelock: minimum delay; by default 172800, at least a day (testnets 300, at least 60; locally 0)",
  },
  "blockscout-url": { type: "string", value: "URL", help: "the API of another Blockscout" },
  "sourcify-url": { type: "string", value: "URL", help: "another Sourcify" },
} as const;

export type DeployFlags = ParsedArguments<typeof DEPLOY_FLAGS>["flags"];

export interface DeployContext {
  readonly network: NetworkConfig;
  readonly rpcUrl: string;
}

/** A path below the repository, unless the user gave one. */
export const resolveFolder = (given: string | undefined, fallback: string): string =>
  given === undefined ? resolve(root, fallback) : resolveUserPath(given);

/** The network's public node; for the local chain the configured one. */
const getDefaultRpcUrl = ({ chainId, rpcUrl }: NetworkConfig): string =>
  isLocalChain(chainId) ? `http://127.0.0.1:${readServiceConfig().rpcPort}` : rpcUrl;

/** The selected chain. Throws `CommandError` (chain) if its node does not answer or serves another chain. */
export async function loadDeployContext(flags: {
  readonly network?: string;
  readonly rpc?: string;
}): Promise<DeployContext> {
  const named = flags.network === undefined ? null : (findNetwork(flags.network) ?? null);
  if (flags.network !== undefined && named === null) {
    throw new UsageError(`--network: expected ${names.replaceAll("|", ", ")}, received "${flags.network}"`);
  }
  const given = findGivenNode(flags);
  if (given === undefined && named === null) throw new UsageError(`expected --network ${names} or --rpc URL`);
  const rpcUrl = given ?? getDefaultRpcUrl(named!);
  const host = new URL(rpcUrl).host;
  let chainId: number;
  try {
    chainId = Number(await createRpcRequest(rpcUrl, 1)({ method: "eth_chainId" }));
  } catch (cause) {
    const fault = findNodeFault(cause);
    const elsewhere = fault?.next ?? "check --rpc, or try another node";
    const next = named?.name === "local" ? "start it with `npm start`" : elsewhere;
    // An error of JSON-RPC has the node's sentence, for example about a limit of requests.
    const message = fault?.message ?? `The node at ${host} rejects requests: ${(cause as Error).message}`;
    throw new CommandError(message, { exitCode: EXIT.chain, next, cause });
  }
  const network = named ?? getNetworkByChainId(chainId, rpcUrl);
  if (chainId === network.chainId) return { network, rpcUrl };
  throw new CommandError(
    `Expected chain ${network.chainId} (${network.title}), received chain ${chainId} from the node at ${host}`,
    {
      exitCode: EXIT.chain,
      next: "set the node of that chain with --rpc, or leave out --network",
    },
  );
}

export const parseConfirmations = (flags: DeployFlags, network: NetworkConfig): number =>
  parseCount("confirmations", flags.confirmations, network.confirmations, 100);
