/** What `npm run deploy` was asked for. */
import { resolve } from "node:path";
import { findNetwork, NETWORKS, networkOfChain } from "../../deploy/parameters/index.ts";
import type { NetworkPlan } from "../../deploy/parameters/network.ts";
import { createRequest } from "../../deploy/public/provider.ts";
import { type Command, countOf, type Given, urlOf } from "../cli/command.ts";
import { CommandError, EXIT, UsageError } from "../cli/failures.ts";
import { root } from "../start/build.ts";

const names = NETWORKS.map(({ name }) => name).join("|");

export const NETWORK_FLAGS = {
  network: { type: "string", value: names, help: "where; any other chain by --rpc-url alone" },
  "rpc-url": {
    type: "string",
    value: "URL",
    help: "the chain's node; else ARCADE_RPC_URL, else the network's public one",
  },
} as const;

export const DEPLOY_FLAGS = {
  ...NETWORK_FLAGS,
  roles: { type: "string", value: "FILE", help: "who holds which power (JSON, addresses alone); not needed locally" },
  salt: { type: "string", value: "LABEL", help: "another label gives other addresses", default: "agent-arcade" },
  out: { type: "string", value: "DIR", help: "journal and addresses file", default: "deploy/deployments" },
  confirmations: { type: "string", value: "N", help: "blocks each step waits for; else the network's own number" },
  plan: { type: "boolean", help: "only show the plan" },
  yes: { type: "boolean", help: "send without asking (CI)" },
  "no-verify": { type: "boolean", help: "do not publish the sources" },
  "verify-only": { type: "boolean", help: "publish the sources of a deployment that is there" },
  "etherscan-url": { type: "string", value: "URL", help: "an explorer that speaks Etherscan's API version 2" },
  "sourcify-url": { type: "string", value: "URL", help: "another Sourcify" },
} as const;

export type DeployCommand = Command<typeof DEPLOY_FLAGS>;
export type DeployFlags = Given<typeof DEPLOY_FLAGS>["flags"];

export interface Place {
  readonly network: NetworkPlan;
  readonly rpcUrl: string;
}

/** Where the command was typed: npm itself runs in the repository's folder. */
export const pathOf = (path: string): string => resolve(process.env.INIT_CWD ?? process.cwd(), path);

/** A path below the repository, unless it was given. */
export const folderOf = (given: string | undefined, fallback: string): string =>
  given === undefined ? resolve(root, fallback) : pathOf(given);

/** The chain that is meant. Throws `CommandError` (chain) where its node does not answer or is another chain's. */
export async function findPlace(flags: { readonly network?: string; readonly "rpc-url"?: string }): Promise<Place> {
  const named = flags.network === undefined ? null : (findNetwork(flags.network) ?? null);
  if (flags.network !== undefined && named === null) {
    throw new UsageError(`--network: expected ${names.replaceAll("|", ", ")}, received "${flags.network}"`);
  }
  const given = flags["rpc-url"] ?? process.env.ARCADE_RPC_URL;
  if (given === undefined && named === null) throw new UsageError(`expected --network ${names} or --rpc-url URL`);
  const rpcUrl = given === undefined ? named!.rpcUrl : urlOf("rpc-url", given);
  const host = new URL(rpcUrl).host;
  let chainId: number;
  try {
    chainId = Number(await createRequest(rpcUrl, 1)({ method: "eth_chainId" }));
  } catch (cause) {
    const next = named?.name === "local" ? "start it with `npm start`" : "check --rpc-url, or try another node";
    throw new CommandError(`The node at ${host} does not answer`, { exitCode: EXIT.chain, next, cause });
  }
  const network = named ?? networkOfChain(chainId, rpcUrl);
  if (chainId === network.chainId) return { network, rpcUrl };
  throw new CommandError(`${network.title} is chain ${network.chainId}, but the node at ${host} says ${chainId}`, {
    exitCode: EXIT.chain,
    next: "give the node of that chain with --rpc-url, or leave --network out",
  });
}

export const confirmationsOf = (flags: DeployFlags, network: NetworkPlan): number =>
  countOf("confirmations", flags.confirmations, network.confirmations, 100);
