import type { EIP1193Provider } from "@nomicfoundation/ignition-core";
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  http,
  keccak256,
  type PublicClient,
  parseAbi,
  stringToHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { REGISTRATION_FILES_PATH } from "../domain/identity.ts";
import { getKeyAddress, type KeySource } from "../domain/keys.ts";
import { loadArtifact } from "./artifacts.ts";
import { localChain } from "./local-chain.ts";
import { type ArcadeParameters, createLocalParameters, type GameParameters } from "./modules/parameters.ts";
import { createSigningProvider } from "./provider.ts";
import {
  type ContractRecord,
  createRecord,
  type DeploymentRecord,
  readDeployment,
  stringify,
  toRecordArguments,
  writeDeployment,
} from "./record.ts";
import { ensureSeaport } from "./seaport.ts";
import { listSteps, type Step } from "./steps.ts";

/** Minimum balance of sending accounts on the local chain: 1,000 ether. */
const MIN_BALANCE_WEI = 1_000n * 10n ** 18n;
const CONTRACTS = ["RewardToken", "AgentIdentity", "GameNFT", "RewardsV2"];
const BASE_URI_ABI = parseAbi(["function setBaseURI(string newBaseURI)", "function baseURI() view returns (string)"]);

export interface LocalDeployOptions {
  readonly rpcUrl: string;
  /** Keys of the duties. Admin deploys; treasury is the admin. */
  readonly keys: {
    readonly admin: Hex;
    readonly guardian: Hex;
    readonly operator: KeySource;
    readonly identity: KeySource;
    readonly score: KeySource;
    readonly nft: { readonly [slug: string]: KeySource };
  };
  /** The addresses file that is read and written. */
  readonly path: string;
  /** The URL that serves metadata, without a trailing slash. */
  readonly publicUrl: string;
  readonly games: readonly GameParameters[];
  /** What to do if bytecode or parameters differ from the existing deployment: `deploy` (default) makes a new one. */
  readonly whenChanged?: "deploy" | "fail";
}

function createParameters({ keys, publicUrl, games }: LocalDeployOptions): ArcadeParameters {
  const nft = Object.fromEntries(Object.entries(keys.nft).map(([slug, key]) => [slug, getKeyAddress(key)]));
  const parameters = createLocalParameters({
    admin: getKeyAddress(keys.admin),
    guardian: getKeyAddress(keys.guardian),
    operator: getKeyAddress(keys.operator),
    treasury: getKeyAddress(keys.admin),
    signers: { identity: getKeyAddress(keys.identity), score: getKeyAddress(keys.score), nft },
    publicUrl,
  });
  return { ...parameters, games: games.map(({ slug, nft }) => ({ slug, nft })) };
}

/** Cached by the hashed text: hashing takes 40 ms, and a start on a fallback port hashes twice. */
const fingerprints = new Map<string, Hex>();

/**
 * Bytecode without the metadata that solc appends (CBOR, its length in the last two bytes): comments change its hash
 * but not the contract.
 */
function removeMetadata(bytecode: string): string {
  const metadataBytes = Number.parseInt(bytecode.slice(-4), 16);
  return bytecode.slice(0, -2 * (metadataBytes + 2));
}

/** Changes with the contracts' code and with every parameter except the service's URL. */
async function computeFingerprint(parameters: ArcadeParameters): Promise<Hex> {
  const artifacts = await Promise.all(CONTRACTS.map(loadArtifact));
  const { publicUrl: _, ...fixed } = parameters;
  const text = stringify([fixed, artifacts.map(({ bytecode }) => removeMetadata(bytecode))]);
  const fingerprint = fingerprints.get(text) ?? keccak256(stringToHex(text));
  fingerprints.set(text, fingerprint);
  return fingerprint;
}

async function isOnChain(client: PublicClient, record: DeploymentRecord): Promise<boolean> {
  const codes = await Promise.all(Object.values(record.contracts).map(({ address }) => client.getCode({ address })));
  return Object.values(record.contracts).every(
    ({ codeHash }, index) => codes[index] !== undefined && keccak256(codes[index]) === codeHash,
  );
}

/** Ensures that deployer and operator can pay for gas. */
async function fundSenders(client: PublicClient, addresses: readonly Address[]): Promise<void> {
  for (const address of addresses) {
    if ((await client.getBalance({ address })) >= MIN_BALANCE_WEI) continue;
    const params = [address, `0x${(10n * MIN_BALANCE_WEI).toString(16)}`];
    await client.request({ method: "hardhat_setBalance", params } as never);
  }
}

/** The parameters without the games that `record` does not have: what the record was made from, if it still fits. */
function selectKnownGames(parameters: ArcadeParameters, record: DeploymentRecord): ArcadeParameters {
  const games = parameters.games.filter(({ slug }) => slug in record.nft);
  const nft = Object.fromEntries(games.map(({ slug }) => [slug, parameters.signers.nft[slug]!]));
  return { ...parameters, games, signers: { ...parameters.signers, nft } };
}

/** Sends one step and waits for it. Throws if it fails or creates another address than predicted. */
async function executeStep(
  client: PublicClient,
  provider: EIP1193Provider,
  step: Step,
): Promise<ContractRecord | null> {
  const call = step.kind === "create" ? { data: step.initCode } : { to: step.to, data: step.data };
  const txHash = (await provider.request({ method: "eth_sendTransaction", params: [call] })) as Hex;
  const receipt = await client.waitForTransactionReceipt({ hash: txHash, pollingInterval: 20 });
  if (receipt.status !== "success") throw new Error(`${step.name} could not be deployed: ${txHash} was reverted`);
  if (step.kind === "call") return null;
  if (receipt.contractAddress?.toLowerCase() !== step.address.toLowerCase()) {
    throw new Error(`${step.name} was expected at ${step.address} and is at ${receipt.contractAddress}`);
  }
  const code = (await client.getCode({ address: step.address }))!;
  const args = await toRecordArguments(step);
  return { address: step.address, args, block: Number(receipt.blockNumber), txHash, codeHash: keccak256(code) };
}

/** Executes the steps whose contracts are not in `known`. Calls are made only in a first deployment. */
async function executeSteps(
  client: PublicClient,
  options: LocalDeployOptions,
  parameters: ArcadeParameters,
  known: DeploymentRecord["contracts"] | null,
): Promise<DeploymentRecord["contracts"]> {
  const admin = privateKeyToAccount(options.keys.admin);
  const provider = createSigningProvider(options.rpcUrl, admin);
  let nonce = BigInt(await client.getTransactionCount({ address: admin.address }));
  const steps = await listSteps(parameters, {
    deployer: admin.address,
    // Creations come before calls, so that each uses the next nonce.
    predictAddress: (name) => known?.[name]?.address ?? getContractAddress({ from: admin.address, nonce: nonce++ }),
  });
  const contracts: { [name: string]: ContractRecord } = { ...known };
  for (const step of steps) {
    if (known !== null && (step.kind === "call" || step.name in known)) continue;
    const created = await executeStep(client, provider, step);
    if (created !== null) contracts[step.name] = created;
  }
  return contracts;
}

/** The market is Seaport, whose bytecode is not ours: changes of our contracts do not redeploy it. */
async function deployMarket(client: PublicClient, options: LocalDeployOptions, known: Hex | null): Promise<Hex> {
  const provider = createSigningProvider(options.rpcUrl, privateKeyToAccount(options.keys.admin));
  return (await ensureSeaport(client, provider, known)).address;
}

/** Whether an identity's URI points to the current metadata URL. */
async function isBaseUriCurrent(
  client: PublicClient,
  { publicUrl }: LocalDeployOptions,
  { identity }: DeploymentRecord,
): Promise<boolean> {
  const base = await client.readContract({ address: identity, abi: BASE_URI_ABI, functionName: "baseURI" });
  return base === `${publicUrl}${REGISTRATION_FILES_PATH}`;
}

/** Points the contracts to the current metadata URL. */
export async function updateBaseUris(
  provider: EIP1193Provider,
  publicUrl: string,
  record: Pick<DeploymentRecord, "identity" | "nft">,
): Promise<void> {
  const games = Object.entries(record.nft).map(([slug, to]) => [to, `/api/metadata/${slug}/`]);
  for (const [to, path] of [[record.identity, REGISTRATION_FILES_PATH], ...games]) {
    const args = [`${publicUrl}${path}`] as const;
    const data = encodeFunctionData({ abi: BASE_URI_ABI, functionName: "setBaseURI", args });
    await provider.request({ method: "eth_sendTransaction", params: [{ to, data }] });
  }
}

/**
 * Deploys everything to the local chain, funds the float and writes the addresses file. If the chain already has this
 * deployment, only adds the contracts of new games and updates the service's URL.
 */
export async function deployLocal(
  options: LocalDeployOptions,
): Promise<{ readonly deployment: DeploymentRecord; readonly reused: boolean }> {
  const client = createPublicClient({ chain: localChain, transport: http(options.rpcUrl), cacheTime: 0 });
  const chainId = await client.getChainId();
  if (chainId !== localChain.id) throw new Error(`deployLocal expects chain ${localChain.id}, received ${chainId}`);
  const parameters = createParameters(options);
  const fingerprint = await computeFingerprint(parameters);
  await fundSenders(client, [parameters.admin, parameters.guardian, parameters.operator]);

  const slugs = parameters.games.map(({ slug }) => slug);
  const known = await readDeployment(options.path);
  const isKnown =
    known !== null && known.fingerprint === (await computeFingerprint(selectKnownGames(parameters, known)));
  if (known !== null && !isKnown && options.whenChanged === "fail") {
    throw new Error("the contracts or their parameters changed since the local state was made; --fresh starts over.");
  }
  if (known !== null && isKnown && (await isOnChain(client, known))) {
    const isGrown = parameters.games.some(({ slug }) => !(slug in known.nft));
    const market = await deployMarket(client, options, known.market);
    const isServed = known.publicUrl === options.publicUrl && (await isBaseUriCurrent(client, options, known));
    if (!isGrown && isServed && known.market === market) {
      return { deployment: known, reused: true };
    }
    const contracts = isGrown ? await executeSteps(client, options, parameters, known.contracts) : known.contracts;
    const fields = { ...known, market, fingerprint, contracts, publicUrl: options.publicUrl };
    const deployment = createRecord(fields, slugs);
    const provider = createSigningProvider(options.rpcUrl, privateKeyToAccount(options.keys.admin));
    if (!isServed) await updateBaseUris(provider, options.publicUrl, deployment);
    await writeDeployment(options.path, deployment);
    return { deployment, reused: true };
  }
  const startBlock = Number(await client.getBlockNumber()) + 1;
  const contracts = await executeSteps(client, options, parameters, null);
  const market = await deployMarket(client, options, known?.market ?? null);
  const { publicUrl } = options;
  const fields = { chainId: localChain.id, startBlock, market, publicUrl, fingerprint, contracts };
  const deployment = createRecord(fields, slugs);
  await writeDeployment(options.path, deployment);
  return { deployment, reused: false };
}
