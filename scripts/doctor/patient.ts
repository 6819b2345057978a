/** What the doctor looks at: a deployment, the chain it is on, and the keys the backend would use. */
import { join } from "node:path";
import { createPublicClient, custom, type PublicClient } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { ConfigError, readSecrets, type Secrets } from "../../backend/config/config.ts";
import { isWellKnownKey, LOCAL_CHAIN_ID } from "../../backend/config/dev-keys.ts";
import { games } from "../../backend/games/index.ts";
import type { NetworkPlan } from "../../deploy/parameters/network.ts";
import { createRequest } from "../../deploy/public/provider.ts";
import { type DeploymentRecord, readDeployment } from "../../deploy/record.ts";
import { CommandError, UsageError } from "../cli/failures.ts";
import { folderOf, type Place, pathOf } from "../deploy/options.ts";
import { localKeys } from "../start/stack.ts";

type Address = `0x${string}`;

export interface Finding {
  /** Stable, for machines: `signer.rewards`. */
  readonly id: string;
  readonly status: "ok" | "warning" | "fault" | "skipped";
  readonly finding: string;
  /** What to do; null where nothing is to be done. */
  readonly next: string | null;
}

/** A key of the environment: its address and whether everybody knows it. Never the key. */
export interface KnownKey {
  readonly address: Address;
  readonly isWellKnown: boolean;
}

export interface Patient {
  readonly network: NetworkPlan;
  readonly isLocal: boolean;
  readonly client: PublicClient;
  readonly record: DeploymentRecord;
  /** Null where the environment holds no such key. */
  readonly keys: {
    readonly identity: KnownKey | null;
    readonly score: KnownKey | null;
    readonly operator: KnownKey | null;
    readonly nft: { readonly [slug: string]: KnownKey | null };
  };
  /** Milliseconds of this machine's clock. */
  readonly nowMs: () => number;
}

export const ok = (id: string, finding: string): Finding => ({ id, status: "ok", finding, next: null });
export const skipped = (id: string, finding: string, next: string): Finding => ({
  id,
  status: "skipped",
  finding,
  next,
});
export const warning = (id: string, finding: string, next: string): Finding => ({
  id,
  status: "warning",
  finding,
  next,
});
export const fault = (id: string, finding: string, next: string): Finding => ({ id, status: "fault", finding, next });

const knownKey = (key: Address | null | undefined): KnownKey | null =>
  key == null ? null : { address: privateKeyToAccount(key).address, isWellKnown: isWellKnownKey(key) };

function readKeys(isLocal: boolean, env: NodeJS.ProcessEnv): Patient["keys"] {
  let secrets: Secrets;
  try {
    secrets = readSecrets(env);
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error;
  }
  const local = isLocal ? localKeys(secrets) : null;
  return {
    identity: knownKey(local?.identity ?? secrets.identitySigner),
    score: knownKey(local?.score ?? secrets.scoreSigner),
    operator: knownKey(local?.operator ?? secrets.operator),
    nft: Object.fromEntries(games.map(({ slug }) => [slug, knownKey(local?.nft[slug] ?? secrets.nftSigners[slug])])),
  };
}

async function readRecord(chainId: number, given: string | undefined): Promise<DeploymentRecord> {
  const fallback = join(folderOf(undefined, "deploy/deployments"), `${chainId}.json`);
  const data = join(folderOf(process.env.ARCADE_DATA_DIR, "data"), "deployment.json");
  const paths = given === undefined ? (chainId === LOCAL_CHAIN_ID ? [data, fallback] : [fallback]) : [pathOf(given)];
  for (const path of paths) {
    const record = await readDeployment(path).catch((error: Error) => {
      throw new UsageError(`--deployment: ${error.message}`);
    });
    if (record === null) continue;
    if (record.chainId === chainId) return record;
    throw new UsageError(`${path} is of chain ${record.chainId}, the node is on chain ${chainId}`);
  }
  throw new CommandError(`There is no addresses file: ${paths.join(" or ")}`, {
    next: "deploy first (npm run deploy -- --help), or name the file with --deployment",
  });
}

/** Throws `CommandError` or `UsageError` where there is nothing to look at. */
export async function findPatient(
  { network, rpcUrl }: Place,
  deployment: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Patient> {
  const isLocal = network.chainId === LOCAL_CHAIN_ID;
  const path = deployment ?? (env.ARCADE_DEPLOYMENT || undefined);
  const record = await readRecord(network.chainId, path);
  const client = createPublicClient({ transport: custom({ request: createRequest(rpcUrl) as never }), cacheTime: 0 });
  return { network, isLocal, client, record, keys: readKeys(isLocal, env), nowMs: () => Date.now() };
}

/** The contracts that know roles and signers, with the duty whose key signs for them. */
export const listSigning = ({ record, keys }: Patient) => [
  {
    name: "identity",
    kind: "identity" as const,
    slug: "",
    address: record.identity,
    key: keys.identity,
    setting: "ARCADE_IDENTITY_SIGNER_KEY",
  },
  ...Object.entries(record.nft).map(([slug, address]) => ({
    ...{ name: `nft.${slug}`, kind: "gameNft" as const, slug, address, key: keys.nft[slug] ?? null },
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
export type Signing = ReturnType<typeof listSigning>[number];
