import type { Address, PublicClient } from "viem";
import { isWellKnownAddress } from "../../backend/config/dev-keys.ts";
import { isSameAddress } from "../../domain/addresses.ts";
import { LOCAL_CHAIN_ID } from "../../domain/chain-ids.ts";
import { getAccountKind } from "../admin/account-kind.ts";
import { findParameterErrors, findParameterWarnings } from "../modules/parameter-errors.ts";
import type { ArcadeParameters } from "../modules/parameters.ts";
import type { NetworkConfig } from "../networks.ts";
import { findFactoryFault } from "./factory.ts";

/** The account of each role, by its name. */
function listRoleHolders({
  admin,
  guardian,
  operator,
  treasury,
  signers,
}: ArcadeParameters): readonly [string, Address][] {
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

/** Roles that share an address. Only the treasury, which has no power over the contracts, may be the admin. */
function findSharedPowers(parameters: ArcadeParameters): readonly string[] {
  const names = new Map<string, string>();
  return listRoleHolders(parameters).flatMap(([name, address]) => {
    const other = names.get(address.toLowerCase());
    names.set(address.toLowerCase(), other ?? name);
    if (other === undefined || (other === "admin" && name === "treasury")) return [];
    return [`${name}: is the same address as ${other}; on a public chain each role needs its own`];
  });
}

export interface PreflightReport {
  /** Errors that prevent sending. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** All errors and warnings of a deployment, before anything is sent. */
export async function runPreflightChecks(
  client: PublicClient,
  network: NetworkConfig,
  parameters: ArcadeParameters,
  deployer: Address,
): Promise<PreflightReport> {
  const errors = [...findParameterErrors(parameters, network.stage)];
  const warnings: string[] = [];
  if (network.chainId === LOCAL_CHAIN_ID) return { faults: errors, warnings };
  warnings.push(...findParameterWarnings(parameters));
  for (const [name, address] of listRoleHolders(parameters)) {
    if (isWellKnownAddress(address)) errors.push(`${name}: ${address} is a development account; its key is public`);
    if (isSameAddress(address, deployer)) {
      errors.push(`${name}: is the deployer ${address}, which must not keep roles or tokens`);
    }
  }
  errors.push(...findSharedPowers(parameters));
  const adminKind = await getAccountKind(client, parameters.admin);
  if (adminKind === "key") {
    const message = `admin: ${parameters.admin} is a plain key on this chain, not a Safe or a timelock`;
    (network.stage === "mainnet" ? errors : warnings).push(message);
  } else if (adminKind === "contract") {
    errors.push(
      `admin: the contract ${parameters.admin} is neither a Safe (getThreshold) nor a timelock (getMinDelay), so it could never act`,
    );
  }
  // The service and remote signers send no other transactions.
  if ((await client.getBlock()).baseFeePerGas === null)
    errors.push(`chain ${network.chainId}: its blocks have no base fee; the service needs a chain with EIP-1559`);
  const factoryFault = await findFactoryFault(client, network.stage, network.chainId);
  if (factoryFault !== null) errors.push(factoryFault);
  return { faults: errors, warnings };
}
