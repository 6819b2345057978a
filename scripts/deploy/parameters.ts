/** What the contracts are made with: the network's own limits, and whoever the file of roles names. */
import { developmentServiceAccount, LOCAL_CHAIN_ID } from "../../backend/config/dev-keys.ts";
import { games } from "../../backend/games/index.ts";
import type { ArcadeParameters, ArcadeRoles } from "../../deploy/modules/parameters.ts";
import type { NetworkPlan } from "../../deploy/parameters/network.ts";
import { RolesFileError, readRoles } from "../../deploy/parameters/roles.ts";
import { UsageError } from "../cli/failures.ts";
import { pathOf } from "./options.ts";

/** On a chain of this machine everything is in the hands of the development accounts, as with `npm start`. */
export function localRoles(): ArcadeRoles {
  const at = (offset: number): `0x${string}` => developmentServiceAccount(offset).address;
  return {
    admin: at(0),
    guardian: at(1),
    operator: at(2),
    treasury: at(0),
    signers: {
      identity: at(3),
      score: at(4),
      nft: Object.fromEntries(games.map(({ slug }, index) => [slug, at(5 + index)])),
    },
    publicUrl: process.env.ARCADE_PUBLIC_URL ?? "http://127.0.0.1:4100",
  };
}

/** Throws `UsageError` where the file is missing or has faults, naming all of them. */
export async function findParameters(network: NetworkPlan, file: string | undefined): Promise<ArcadeParameters> {
  if (file === undefined) {
    if (network.chainId === LOCAL_CHAIN_ID) return network.makeParameters(localRoles());
    throw new UsageError(
      `expected --roles FILE on ${network.title}: who holds which power (docs/operating.md shows one)`,
    );
  }
  try {
    const { roles, override } = await readRoles(pathOf(file));
    return override(network.makeParameters(roles));
  } catch (error) {
    throw error instanceof RolesFileError ? new UsageError(`--roles: ${error.message}`) : error;
  }
}
