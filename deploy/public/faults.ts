import { keccak256, type PublicClient } from "viem";
import { developmentAccount, developmentServiceAccount, LOCAL_CHAIN_ID } from "../../backend/config/dev-keys.ts";
import { type ArcadeParameters, findParameterFaults } from "../modules/parameters.ts";
import type { NetworkPlan } from "../parameters/network.ts";
import { CREATE_X, CREATE_X_CODE_HASH } from "./create2.ts";

type Address = `0x${string}`;

/** So many development accounts from either start count as well known. */
const WELL_KNOWN_COUNT = 32;

/** Everybody who is to hold a power, by name. */
function listHolders({ admin, guardian, operator, treasury, signers }: ArcadeParameters): readonly [string, Address][] {
  return [
    ["admin", admin],
    ["guardian", guardian],
    ["operator", operator],
    ["treasury", treasury],
    ["signers.identity", signers.identity],
    ["signers.score", signers.score],
    ...Object.entries(signers.nft).map(([slug, address]): [string, Address] => [`signers.nft.${slug}`, address]),
  ];
}

/** Addresses whose keys anybody can derive from the development mnemonic. */
export function isWellKnownAddress(address: Address): boolean {
  const wanted = address.toLowerCase();
  return Array.from({ length: WELL_KNOWN_COUNT }, (_, index) => index).some((index) =>
    [developmentAccount(index), developmentServiceAccount(index)].some(
      (known) => known.address.toLowerCase() === wanted,
    ),
  );
}

export interface Objections {
  /** Nothing is sent while one of these stands. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** What speaks against a deployment, all of it at once. */
export async function findObjections(
  client: PublicClient,
  network: NetworkPlan,
  parameters: ArcadeParameters,
  deployer: Address,
): Promise<Objections> {
  const faults = [...findParameterFaults(parameters, network.chainId)];
  const warnings: string[] = [];
  if (network.chainId === LOCAL_CHAIN_ID) return { faults, warnings };
  for (const [name, address] of listHolders(parameters)) {
    if (isWellKnownAddress(address))
      faults.push(`${name}: ${address} is a development account whose key everybody knows`);
    if (address.toLowerCase() === deployer.toLowerCase()) {
      faults.push(`${name}: is the deployer ${address}, which must keep no power and no tokens`);
    }
  }
  const powers = [parameters.admin, parameters.guardian].map((address) => address.toLowerCase());
  if (powers[0] === powers[1]) faults.push("guardian: is the admin; a second key must be able to stop everything");
  if ((await client.getCode({ address: parameters.admin })) === undefined) {
    const sentence = `admin: ${parameters.admin} is a plain key on this chain, not a Safe or a timelock`;
    (network.isProduction ? faults : warnings).push(sentence);
  }
  const factory = await client.getCode({ address: CREATE_X });
  if (factory === undefined) {
    faults.push(
      `CreateX: the factory ${CREATE_X} does not stand on chain ${network.chainId}; it is put there by anybody with ` +
        "its presigned transaction (https://github.com/pcaversaccio/createx#new-deployments)",
    );
  } else if (keccak256(factory) !== CREATE_X_CODE_HASH) {
    faults.push(`CreateX: other code than the factory's is at ${CREATE_X}`);
  }
  return { faults, warnings };
}
