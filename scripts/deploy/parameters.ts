/** The parameters of the contracts: the network's limits, and the accounts of the roles file. */

import { developmentServiceAccount } from "../../backend/config/dev-keys.ts";
import { getEnvironment } from "../../backend/config/environment.ts";
import type { ArcadeParameters, ArcadeRoles } from "../../deploy/modules/parameters.ts";
import type { NetworkConfig } from "../../deploy/networks.ts";
import { RolesFileError, readRoles } from "../../deploy/roles.ts";
import { LOCAL_CHAIN_ID } from "../../domain/chain-ids.ts";
import { games } from "../../games/index.ts";
import { UsageError } from "../cli/failures.ts";
import { resolveUserPath } from "../cli/user-paths.ts";

/** On a local chain the development accounts hold all roles, as with `npm start`. */
function localRoles(): ArcadeRoles {
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
    publicUrl: getEnvironment().ARCADE_PUBLIC_URL ?? "http://127.0.0.1:4100",
  };
}

/** Throws `UsageError` if the file is missing or has errors, with all of them. */
export async function loadParameters(network: NetworkConfig, file: string | undefined): Promise<ArcadeParameters> {
  if (file === undefined) {
    if (network.chainId === LOCAL_CHAIN_ID) return network.createParameters(localRoles());
    throw new UsageError(
      `expected --roles FILE on ${network.title}: the holder of each role (docs/operating.md has an example)`,
    );
  }
  try {
    const { roles, applyLimits: override } = await readRoles(resolveUserPath(file));
    return override(network.createParameters(roles));
  } catch (error) {
    throw error instanceof RolesFileError ? new UsageError(`--roles: ${error.message}`) : error;
  }
}
