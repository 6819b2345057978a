/** A deployment to the stand-in chain, without the command. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address, PrivateKeyAccount } from "viem";
import { type DeployOptions, prepareDeployment } from "../../deploy/execute-public.ts";
import type { ArcadeParameters, ArcadeRoles } from "../../deploy/modules/parameters.ts";
import { getNetworkByChainId } from "../../deploy/networks.ts";
import { type AnvilNode, type AnvilOptions, type createTestAccounts, startAnvil } from "./testnet.ts";

export const FUNDED_BALANCE_WEI = 100n * 10n ** 18n;

export async function createWorkspace(roles: ArcadeRoles) {
  const folder = await mkdtemp(join(tmpdir(), "arcade-deploy-"));
  await writeFile(join(folder, "roles.json"), JSON.stringify(roles));
  return { folder, rolesPath: join(folder, "roles.json"), remove: () => rm(folder, { recursive: true }) };
}

export function createDeployOptions(
  chain: AnvilNode,
  account: PrivateKeyAccount,
  roles: ArcadeRoles,
  folder: string,
  change: (parameters: ArcadeParameters) => ArcadeParameters = (parameters) => parameters,
): DeployOptions {
  const network = getNetworkByChainId(chain.chainId, chain.rpcUrl);
  return {
    rpcUrl: chain.rpcUrl,
    account,
    network,
    parameters: change(network.createParameters(roles)),
    saltLabel: "test",
    folder: join(folder, String(chain.chainId)),
    recordPath: join(folder, `${chain.chainId}.json`),
    confirmations: 1,
    pollMs: 20,
  };
}

/** Deploys and returns the addresses file. */
export const runDeployment = async (options: DeployOptions) => (await prepareDeployment(options)).execute(() => {});

/** A testnet and a folder for the record. `rich`: accounts with ether. */
export async function openTestnet(
  { people, roles }: ReturnType<typeof createTestAccounts>,
  funded: readonly { readonly address: Address }[] = [people.deployer],
  options: AnvilOptions = {},
) {
  const chain = await startAnvil(options);
  const place = await createWorkspace(roles);
  for (const { address } of funded) await chain.client.setBalance({ address, value: FUNDED_BALANCE_WEI });
  return {
    chain,
    place,
    close: async () => {
      await chain.close();
      await place.remove();
    },
  };
}

export type Testnet = Awaited<ReturnType<typeof openTestnet>>;
