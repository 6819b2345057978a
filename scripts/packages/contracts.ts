/** The contracts for other programs: ABIs and addresses as constants, and clear-signing descriptors. */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadArtifact } from "../../deploy/artifacts.ts";
import { writeDescriptors } from "../../deploy/clear-signing.ts";
import { type DeploymentRecord, readDeployment } from "../../deploy/record.ts";
import { LOCAL_CHAIN_ID } from "../../domain/chain-ids.ts";
import { toConstantName } from "../dev/contracts/render-abi.ts";
import { findRecord } from "../doctor/target.ts";
import { root } from "../start/build.ts";
import type { PackageDefinition } from "./build.ts";

const CONTRACTS = ["AgentIdentity", "GameNFT", "RewardsV2", "RewardToken"];
/** Written for each build; not in git. */
const SOURCE = "dist/contracts-source";

export const CONTRACTS_PACKAGE: PackageDefinition = {
  name: "@agent-arcade/contracts",
  description: "The contracts of Agent Arcade: ABIs and addresses as typed constants, clear-signing descriptors.",
  folder: "dist/contracts",
  entries: { ".": `${SOURCE}/index.ts` },
  readme: "contracts/README.md",
  sources: [SOURCE],
  data: `${SOURCE}/clear-signing`,
  usesViem: false,
};

/** The deployments that `npm run deploy` wrote to a folder, and the local chain's if there is one. */
export async function readDeployments(folder: string): Promise<readonly DeploymentRecord[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d+\.json$/.test(name));
  const records = await Promise.all(names.map((name) => readDeployment(join(folder, name))));
  const local = await findRecord(LOCAL_CHAIN_ID, undefined);
  const others = records.filter((record) => record !== null && record.chainId !== LOCAL_CHAIN_ID);
  return [...others, local].filter((record) => record !== null).sort((a, b) => a.chainId - b.chainId);
}

const toAddresses = ({ startBlock, identity, rewards, token, market, nft }: DeploymentRecord) => ({
  startBlock,
  identity,
  rewards,
  token,
  market,
  nft,
});

const renderConstant = (comment: string, name: string, value: unknown): string =>
  `/** ${comment} */\nexport const ${name} = ${JSON.stringify(value, null, 2)} as const;\n`;

/** Writes the sources of the package. */
export async function writeContractsSource(deployments: readonly DeploymentRecord[]): Promise<void> {
  const folder = join(root, SOURCE);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const abis = await Promise.all(
    CONTRACTS.map(async (contract) =>
      renderConstant(`The ABI of ${contract}.`, toConstantName(contract), (await loadArtifact(contract)).abi),
    ),
  );
  const addresses = Object.fromEntries(deployments.map((record) => [record.chainId, toAddresses(record)]));
  const parts = [renderConstant("Addresses of the contracts by chain id.", "deployments", addresses), ...abis];
  await writeFile(join(folder, "index.ts"), parts.join("\n"));
  await writeDescriptors(join(folder, "clear-signing"), ...deployments);
}
