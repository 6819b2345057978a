/** The clear-signing descriptors (ERC-7730) of one deployment, for the registry that wallets read. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../backend/adapters/node/replace-file.ts";
import type { Deployment } from "../backend/ports/chain.ts";
import { createDescriptorFiles } from "../domain/typed-data/clear-signing/files.ts";

/** Writes every descriptor with the deployment's addresses into the folder. */
export async function writeDescriptors(folder: string, deployment: Deployment): Promise<void> {
  const { chainId, identity, nft, rewards, token, market } = deployment;
  const addresses = {
    AgentIdentity: [identity],
    GameNFT: Object.values(nft),
    RewardsV2: [rewards],
    RewardToken: [token],
    Seaport: market === null ? [] : [market],
  };
  await mkdir(folder, { recursive: true });
  for (const [name, descriptor] of Object.entries(createDescriptorFiles({ chainId, addresses })))
    await replaceFile(join(folder, name), `${JSON.stringify(descriptor, null, 2)}\n`);
}
