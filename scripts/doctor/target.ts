/** What the doctor checks: a deployment, its chain, and the backend's keys. */

import { join, resolve } from "node:path";
import type { Address } from "viem";
import { createPublicClient, custom, type PublicClient } from "viem";
import { ConfigError, readSecrets, type Secrets } from "../../backend/config/config.ts";
import { isWellKnownAddress } from "../../backend/config/dev-keys.ts";
import { type Environment, getEnvironment } from "../../backend/config/environment.ts";
import { getServiceKeys } from "../../backend/config/service-keys.ts";
import type { ArcadeParameters } from "../../deploy/modules/parameters.ts";
import type { NetworkConfig } from "../../deploy/networks.ts";
import { createRpcRequest } from "../../deploy/public/rpc.ts";
import { type DeploymentRecord, readDeployment } from "../../deploy/record.ts";
import { LOCAL_CHAIN_ID } from "../../domain/chain-ids.ts";
import { getKeyAddress, type KeySource } from "../../domain/keys.ts";
import { games } from "../../games/index.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { resolveUserPath } from "../cli/user-paths.ts";
import { type DeployContext, resolveFolder } from "../deploy/options.ts";
import { root } from "../start/build.ts";

/** What was decided about a deployment. */
export interface Decision {
  readonly parameters: ArcadeParameters;
  /** Label of the salt, as in `deploy --salt`. */
  readonly saltLabel: string;
}

export interface CheckResult {
  /** Stable, for programs: `signer.rewards`. */
  readonly id: string;
  readonly status: "ok" | "warning" | "fault" | "skipped";
  readonly finding: string;
  /** What to do; null if nothing. */
  readonly next: string | null;
  /** What the roles file would contain if the chain's state is intended. */
  readonly rolesEntry?: RolesEntry;
  /** The path in that file whose value the chain shows. */
  readonly decidedPath?: string;
}

/** One value of the roles file, by its path: `signers.score`. */
export interface RolesEntry {
  readonly path: string;
  readonly value: string | number;
}

/** A key of the environment: its address and whether it is well known. Never the key. */
export interface KeyInfo {
  readonly address: Address;
  readonly isWellKnown: boolean;
}

export interface DoctorTarget {
  readonly network: NetworkConfig;
  readonly isLocal: boolean;
  readonly client: PublicClient;
  readonly record: DeploymentRecord;
  /** Null if the environment has no such key. */
  readonly keys: {
    readonly identity: KeyInfo | null;
    readonly score: KeyInfo | null;
    readonly operator: KeyInfo | null;
    readonly nft: { readonly [slug: string]: KeyInfo | null };
  };
  /** Null if no roles file was given on a public chain: the chain is then compared with the addresses file only. */
  readonly decision: Decision | null;
  /** Milliseconds of this machine's clock. */
  readonly nowMs: () => number;
}

export const ok = (id: string, finding: string): CheckResult => ({ id, status: "ok", finding, next: null });
export const skipped = (id: string, finding: string, next: string): CheckResult => ({
  id,
  status: "skipped",
  finding,
  next,
});
export const warning = (id: string, finding: string, next: string): CheckResult => ({
  id,
  status: "warning",
  finding,
  next,
});
export const error = (id: string, finding: string, next: string): CheckResult => ({
  id,
  status: "fault",
  finding,
  next,
});

/** A difference between chain and decision, which is a fault until the roles file agrees with the chain. */
export const difference = (id: string, finding: string, rolesEntry: RolesEntry | null): CheckResult => ({
  ...error(
    id,
    finding,
    rolesEntry === null
      ? "if not intended, pause, and let the admin restore it (npm run admin -- chain --help); the file of --roles has no such entry"
      : `if not intended, pause, and let the admin restore it (npm run admin -- chain --help); if intended, write ${JSON.stringify(rolesEntry.path)}: ${JSON.stringify(rolesEntry.value)} in the file of --roles`,
  ),
  ...(rolesEntry === null ? {} : { rolesEntry }),
});

function toKeyInfo(key: KeySource | null | undefined): KeyInfo | null {
  if (key == null) return null;
  const address = getKeyAddress(key);
  return { address, isWellKnown: isWellKnownAddress(address) };
}

function readKeys(isLocal: boolean, env: Environment): DoctorTarget["keys"] {
  let secrets: Secrets;
  try {
    secrets = readSecrets(env);
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
  const local = isLocal ? getServiceKeys(secrets) : null;
  return {
    identity: toKeyInfo(local?.identity ?? secrets.identitySigner),
    score: toKeyInfo(local?.score ?? secrets.scoreSigner),
    operator: toKeyInfo(local?.operator ?? secrets.operator),
    nft: Object.fromEntries(games.map(({ slug }) => [slug, toKeyInfo(local?.nft[slug] ?? secrets.nftSigners[slug])])),
  };
}

/** Candidates for a chain's addresses file: `given`, or the local service's and the network's. */
function listRecordPaths(chainId: number, given: string | undefined): readonly string[] {
  const fallback = join(resolveFolder(undefined, "deploy/deployments"), `${chainId}.json`);
  const data = join(resolve(root, getEnvironment().ARCADE_DATA_DIR || "data"), "deployment.json");
  if (given !== undefined) return [resolveUserPath(given)];
  return chainId === LOCAL_CHAIN_ID ? [data, fallback] : [fallback];
}

/** The addresses file of a chain; null if there is none. Throws `UsageError` if it is for another chain. */
export async function findRecord(chainId: number, given: string | undefined): Promise<DeploymentRecord | null> {
  for (const path of listRecordPaths(chainId, given)) {
    const record = await readDeployment(path).catch((error: Error) => {
      throw new UsageError(`--deployment: ${error.message}`);
    });
    if (record === null) continue;
    if (record.chainId === chainId) return record;
    throw new UsageError(`${path} is for chain ${record.chainId}, the node is on chain ${chainId}`);
  }
  return null;
}

/** Like `findRecord`. Throws `CommandError` if there is none. */
export async function readRecord(chainId: number, given: string | undefined): Promise<DeploymentRecord> {
  const record = await findRecord(chainId, given);
  if (record !== null) return record;
  throw new CommandError(`No addresses file found: ${listRecordPaths(chainId, given).join(" or ")}`, {
    next: "deploy first (npm run deploy -- --help), or set the file with --deployment",
  });
}

/** Throws `CommandError` or `UsageError` if there is nothing to check. */
export async function loadTarget(
  { network, rpcUrl }: DeployContext,
  deployment: string | undefined,
  env: Environment = getEnvironment(),
  decision: Decision | null = null,
): Promise<DoctorTarget> {
  const isLocal = network.chainId === LOCAL_CHAIN_ID;
  const path = deployment ?? (env.ARCADE_DEPLOYMENT || undefined);
  const record = await readRecord(network.chainId, path);
  const client = createPublicClient({
    transport: custom({ request: createRpcRequest(rpcUrl) as never }),
    cacheTime: 0,
  });
  return { network, isLocal, client, record, keys: readKeys(isLocal, env), decision, nowMs: () => Date.now() };
}

/** The contracts with roles and signers, with the duty whose key signs for them. */
export const listSignedContracts = ({ record, keys }: DoctorTarget) => [
  {
    name: "identity",
    kind: "identity" as const,
    slug: "",
    address: record.identity,
    key: keys.identity,
    setting: "ARCADE_IDENTITY_SIGNER_KEY",
  },
  ...Object.entries(record.nft).map(([slug, address]) => ({
    name: `nft.${slug}`,
    kind: "gameNft" as const,
    slug,
    address,
    key: keys.nft[slug] ?? null,
    setting: `ARCADE_NFT_SIGNER_KEY_${slug.toUpperCase().replaceAll("-", "_")}`,
  })),
  {
    name: "rewards",
    kind: "rewards" as const,
    slug: "",
    address: record.rewards,
    key: keys.score,
    setting: "ARCADE_SCORE_SIGNER_KEY",
  },
];
export type SignedContract = ReturnType<typeof listSignedContracts>[number];

/** The path of a contract's signer in the roles file. */
export function getSignerPath({ kind, slug }: Pick<SignedContract, "kind" | "slug">): string {
  if (kind === "gameNft") return `signers.nft.${slug}`;
  return kind === "identity" ? "signers.identity" : "signers.score";
}
