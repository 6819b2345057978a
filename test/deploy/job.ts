/** A deployment to the stand-in without the command around it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PrivateKeyAccount } from "viem";
import type { ArcadeParameters, ArcadeRoles } from "../../deploy/modules/parameters.ts";
import { networkOfChain } from "../../deploy/parameters/index.ts";
import { type DeployJob, prepareDeployment } from "../../deploy/public/run.ts";
import { type makePeople, type StandIn, startStandIn } from "./stand-in.ts";

export const GAS_MONEY = 100n * 10n ** 18n;

export async function makeFolder(roles: ArcadeRoles) {
  const folder = await mkdtemp(join(tmpdir(), "arcade-deploy-"));
  await writeFile(join(folder, "roles.json"), JSON.stringify(roles));
  return { folder, rolesPath: join(folder, "roles.json"), remove: () => rm(folder, { recursive: true }) };
}

export function makeJob(
  chain: StandIn,
  account: PrivateKeyAccount,
  roles: ArcadeRoles,
  folder: string,
  change: (parameters: ArcadeParameters) => ArcadeParameters = (parameters) => parameters,
): DeployJob {
  const network = networkOfChain(chain.chainId, chain.rpcUrl);
  return {
    ...{ rpcUrl: chain.rpcUrl, account, network },
    parameters: change(network.makeParameters(roles)),
    saltLabel: "test",
    folder: join(folder, String(chain.chainId)),
    recordPath: join(folder, `${chain.chainId}.json`),
    confirmations: 1,
    pollMs: 20,
  };
}

/** Deploys and answers the addresses file. */
export const deployJob = async (job: DeployJob) => (await prepareDeployment(job)).execute(() => {});

/** A testnet and a folder for the record; `rich` have money on it. */
export async function openTestnet({ people, roles }: ReturnType<typeof makePeople>, rich = [people.deployer]) {
  const chain = await startStandIn();
  const place = await makeFolder(roles);
  for (const { address } of rich) await chain.client.setBalance({ address, value: GAS_MONEY });
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
