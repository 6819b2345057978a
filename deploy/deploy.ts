import { DeploymentResultType, deploy as runIgnition } from "@nomicfoundation/ignition-core";
import {
  type Address,
  createPublicClient,
  decodeDeployData,
  encodeFunctionData,
  http,
  keccak256,
  type PublicClient,
  parseAbi,
  stringToHex,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { hardhat } from "viem/chains";
import { artifactResolver, loadArtifact } from "./artifacts.ts";
import { makeArcadeModule } from "./modules/arcade.ts";
import { makeGameNftModuleId } from "./modules/game-nft.ts";
import { type ArcadeParameters, type GamePlan, makeLocalParameters } from "./modules/parameters.ts";
import { createSigningProvider } from "./provider.ts";
import { type ContractRecord, type DeploymentRecord, readDeployment, stringify, writeDeployment } from "./record.ts";
import { ensureSeaport } from "./seaport.ts";

type Hex = `0x${string}`;

/** What accounts that send transactions hold at least on the local chain: 1,000 ether. */
const GAS_MONEY_WEI = 1_000n * 10n ** 18n;
const CONTRACTS = ["RewardToken", "AgentIdentity", "GameNFT", "RewardsV2"];
const BASE_URI_ABI = parseAbi(["function setBaseURI(string newBaseURI)"]);

export interface LocalDeployOptions {
  readonly rpcUrl: string;
  /** Private keys of the duties. Admin deploys; treasury is the admin. */
  readonly keys: {
    readonly admin: Hex;
    readonly guardian: Hex;
    readonly operator: Hex;
    readonly identity: Hex;
    readonly score: Hex;
    readonly nft: { readonly [slug: string]: Hex };
  };
  /** The addresses file that is read and written. */
  readonly path: string;
  /** Where metadata is served from, without a slash at the end. */
  readonly publicUrl: string;
  readonly games: readonly GamePlan[];
  /** What to do when bytecode or parameters differ from the deployment found: `deploy` (default) makes a new one. */
  readonly whenChanged?: "deploy" | "fail";
}

const addressOf = (key: Hex): Address => privateKeyToAccount(key).address;

function makeParameters({ keys, publicUrl, games }: LocalDeployOptions): ArcadeParameters {
  const nft = Object.fromEntries(Object.entries(keys.nft).map(([slug, key]) => [slug, addressOf(key)]));
  const parameters = makeLocalParameters({
    admin: addressOf(keys.admin),
    guardian: addressOf(keys.guardian),
    operator: addressOf(keys.operator),
    treasury: addressOf(keys.admin),
    signers: { identity: addressOf(keys.identity), score: addressOf(keys.score), nft },
    publicUrl,
  });
  return { ...parameters, games: games.map(({ slug, nft }) => ({ slug, nft })) };
}

/** Changes with the bytecode and with every parameter but the address of the service. */
async function fingerprintOf(parameters: ArcadeParameters): Promise<Hex> {
  const artifacts = await Promise.all(CONTRACTS.map(loadArtifact));
  const { publicUrl: _, ...fixed } = parameters;
  return keccak256(stringToHex(stringify([fixed, artifacts.map(({ bytecode }) => bytecode)])));
}

async function isOnChain(client: PublicClient, record: DeploymentRecord): Promise<boolean> {
  const codes = await Promise.all(Object.values(record.contracts).map(({ address }) => client.getCode({ address })));
  return Object.values(record.contracts).every(
    ({ codeHash }, index) => codes[index] !== undefined && keccak256(codes[index]) === codeHash,
  );
}

/** Makes sure that deployer and operator can pay for gas. */
async function fundSenders(client: PublicClient, addresses: readonly Address[]): Promise<void> {
  for (const address of addresses) {
    if ((await client.getBalance({ address })) >= GAS_MONEY_WEI) continue;
    const params = [address, `0x${(10n * GAS_MONEY_WEI).toString(16)}`];
    await client.request({ method: "hardhat_setBalance", params } as never);
  }
}

/** What the chain itself says of the contracts that were created after `fromBlock`. */
async function describeContracts(
  client: PublicClient,
  names: { readonly [name: string]: { readonly address: string; readonly contractName: string } },
  fromBlock: number,
): Promise<DeploymentRecord["contracts"]> {
  const records: { [name: string]: ContractRecord } = {};
  const head = Number(await client.getBlockNumber());
  for (let number = fromBlock; number <= head; number++) {
    const block = await client.getBlock({ blockNumber: BigInt(number), includeTransactions: true });
    for (const { hash, input, to } of block.transactions) {
      if (to !== null) continue;
      const address = (await client.getTransactionReceipt({ hash })).contractAddress;
      const found = Object.entries(names).find(([, named]) => named.address.toLowerCase() === address?.toLowerCase());
      if (!address || found === undefined) continue;
      const [name, { contractName }] = found;
      const { abi, bytecode } = await loadArtifact(contractName);
      const { args = [] } = decodeDeployData({ abi, bytecode: bytecode as Hex, data: input });
      const code = await client.getCode({ address });
      records[name] = {
        address: found[1].address as Hex,
        args,
        block: number,
        txHash: hash,
        codeHash: keccak256(code!),
      };
    }
  }
  // As the file will hold them: numbers as strings.
  return JSON.parse(stringify(records));
}

async function deployAll(client: PublicClient, options: LocalDeployOptions, parameters: ArcadeParameters) {
  const startBlock = Number(await client.getBlockNumber()) + 1;
  const admin = privateKeyToAccount(options.keys.admin);
  const result = await runIgnition({
    artifactResolver,
    provider: createSigningProvider(options.rpcUrl, admin),
    ignitionModule: makeArcadeModule(parameters),
    deploymentParameters: {},
    accounts: [admin.address],
    config: { blockPollingInterval: 20, requiredConfirmations: 1 },
  });
  if (result.type !== DeploymentResultType.SUCCESSFUL_DEPLOYMENT) {
    throw new Error(`The contracts could not be deployed: ${stringify(result)}`);
  }
  const named = Object.fromEntries(
    Object.values(result.contracts).map((contract) => [contract.id.replace("#", "."), contract]),
  );
  return { startBlock, contracts: await describeContracts(client, named, startBlock) };
}

function makeRecord(
  parameters: ArcadeParameters,
  fingerprint: Hex,
  { startBlock, contracts }: Pick<DeploymentRecord, "startBlock" | "contracts">,
): DeploymentRecord {
  const find = (id: string): Hex => {
    const record = contracts[id];
    if (record === undefined) throw new Error(`The deployment has no ${id}`);
    return record.address;
  };
  return {
    chainId: hardhat.id,
    startBlock,
    identity: find("Identity.AgentIdentity"),
    rewards: find("Rewards.RewardsV2"),
    token: find("Token.RewardToken"),
    market: null,
    nft: Object.fromEntries(parameters.games.map(({ slug }) => [slug, find(`${makeGameNftModuleId(slug)}.GameNFT`)])),
    publicUrl: parameters.publicUrl,
    fingerprint,
    contracts,
  };
}

/** The market stands apart from our contracts: it is somebody else's bytecode, and changes of ours leave it alone. */
async function deployMarket(client: PublicClient, options: LocalDeployOptions, known: Hex | null): Promise<Hex> {
  const provider = createSigningProvider(options.rpcUrl, privateKeyToAccount(options.keys.admin));
  return (await ensureSeaport(client, provider, known)).address;
}

/** Points the contracts at the place that serves their metadata now. */
async function moveMetadata(options: LocalDeployOptions, record: DeploymentRecord): Promise<void> {
  const provider = createSigningProvider(options.rpcUrl, privateKeyToAccount(options.keys.admin));
  const places = [[record.identity, "identity"], ...Object.entries(record.nft).map(([slug, to]) => [to, slug])];
  for (const [to, folder] of places) {
    const args = [`${options.publicUrl}/api/metadata/${folder}/`] as const;
    const data = encodeFunctionData({ abi: BASE_URI_ABI, functionName: "setBaseURI", args });
    await provider.request({ method: "eth_sendTransaction", params: [{ to, data }] });
  }
}

/**
 * Deploys everything to the local chain, funds the float and writes the addresses file; or finds all of it there
 * already, made from the same bytecode and parameters, and changes nothing but the address of the service.
 */
export async function deployLocal(
  options: LocalDeployOptions,
): Promise<{ readonly deployment: DeploymentRecord; readonly reused: boolean }> {
  const client = createPublicClient({ chain: hardhat, transport: http(options.rpcUrl), cacheTime: 0 });
  const chainId = await client.getChainId();
  if (chainId !== hardhat.id) throw new Error(`deployLocal works on chain ${hardhat.id} alone, this is ${chainId}`);
  const parameters = makeParameters(options);
  const fingerprint = await fingerprintOf(parameters);
  await fundSenders(client, [parameters.admin, parameters.guardian, parameters.operator]);

  const known = await readDeployment(options.path);
  if (known !== null && known.fingerprint !== fingerprint && options.whenChanged === "fail") {
    throw new Error("the contracts or their parameters changed since the local state was made; --fresh begins anew.");
  }
  if (known?.fingerprint === fingerprint && (await isOnChain(client, known))) {
    const market = await deployMarket(client, options, known.market);
    if (known.publicUrl === options.publicUrl && known.market === market) return { deployment: known, reused: true };
    if (known.publicUrl !== options.publicUrl) await moveMetadata(options, known);
    const deployment = { ...known, market, publicUrl: options.publicUrl };
    await writeDeployment(options.path, deployment);
    return { deployment, reused: true };
  }
  const contracts = makeRecord(parameters, fingerprint, await deployAll(client, options, parameters));
  const deployment = { ...contracts, market: await deployMarket(client, options, known?.market ?? null) };
  await writeDeployment(options.path, deployment);
  return { deployment, reused: false };
}
