/** The clear-signing descriptors (ERC-7730) of deployments, for the registry that wallets read. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { replacePublicFile } from "../backend/adapters/node/replace-file.ts";
import type { Deployment } from "../backend/ports/chain.ts";
import { type ContractAddresses, createDescriptorFiles } from "../domain/typed-data/clear-signing/files.ts";

const toContractAddresses = ({ chainId, identity, nft, rewards, token, market }: Deployment): ContractAddresses => ({
  chainId,
  addresses: {
    AgentIdentity: [identity],
    GameNFT: Object.values(nft),
    RewardsV2: [rewards],
    RewardToken: [token],
    Seaport: market === null ? [] : [market],
  },
});

/** Writes every descriptor, with the deployments' addresses, to the folder. */
export async function writeDescriptors(folder: string, ...deployments: readonly Deployment[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, descriptor] of Object.entries(createDescriptorFiles(deployments.map(toContractAddresses))))
    await replacePublicFile(join(folder, name), `${JSON.stringify(descriptor, null, 2)}\n`);
}
