import type { PublicClient } from "viem";
import { GUARDED_ABI, REWARDS_ABI, TOKEN_ABI } from "../abi.ts";
import type { ArcadeParameters } from "../modules/parameters.ts";
import type { DeploymentRecord } from "../record.ts";

type Address = `0x${string}`;

/** One fact of the hand-over, read from the chain. */
export interface HandOverFact {
  readonly what: string;
  readonly holds: boolean;
  readonly found: string;
}

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The contracts that know roles, by name. */
export const listGuarded = (
  record: Pick<DeploymentRecord, "identity" | "rewards" | "nft">,
): readonly [string, Address][] => [
  ["identity", record.identity],
  ...Object.entries(record.nft).map(([slug, address]): [string, Address] => [`nft.${slug}`, address]),
  ["rewards", record.rewards],
];

async function checkContract(
  client: PublicClient,
  { admin, guardian }: ArcadeParameters,
  deployer: Address,
  [name, address]: readonly [string, Address],
): Promise<readonly HandOverFact[]> {
  const contract = { address, abi: GUARDED_ABI } as const;
  const [holder, adminRole, guardianRole] = await Promise.all([
    client.readContract({ ...contract, functionName: "defaultAdmin" }),
    client.readContract({ ...contract, functionName: "DEFAULT_ADMIN_ROLE" }),
    client.readContract({ ...contract, functionName: "GUARDIAN_ROLE" }),
  ]);
  const has = (role: `0x${string}`, account: Address): Promise<boolean> =>
    client.readContract({ ...contract, functionName: "hasRole", args: [role, account] });
  const isGuardian = await has(guardianRole, guardian);
  const facts = [
    { what: `${name}: the admin is ${admin}`, holds: same(holder, admin), found: holder },
    {
      what: `${name}: the guardian is ${guardian}`,
      holds: isGuardian,
      found: isGuardian ? guardian : "not a guardian",
    },
  ];
  if (same(deployer, admin)) return facts;
  const kept = [
    ...((await has(adminRole, deployer)) ? ["admin"] : []),
    ...((await has(guardianRole, deployer)) ? ["guardian"] : []),
  ];
  const found = kept.length === 0 ? "no role" : kept.join(", ");
  return [...facts, { what: `${name}: the deployer holds no role`, holds: kept.length === 0, found }];
}

/** Whether everything is in the hands it was meant for and the deployer kept nothing, as the chain says. */
export async function checkHandOver(
  client: PublicClient,
  parameters: ArcadeParameters,
  record: DeploymentRecord,
  deployer: Address,
): Promise<readonly HandOverFact[]> {
  const rewards = { address: record.rewards, abi: REWARDS_ABI } as const;
  const token = { address: record.token, abi: TOKEN_ABI } as const;
  const guarded = await Promise.all(listGuarded(record).map((one) => checkContract(client, parameters, deployer, one)));
  const operatorRole = await client.readContract({ ...rewards, functionName: "OPERATOR_ROLE" });
  const [relays, kept, allowance, float] = await Promise.all([
    client.readContract({ ...rewards, functionName: "hasRole", args: [operatorRole, parameters.operator] }),
    client.readContract({ ...token, functionName: "balanceOf", args: [deployer] }),
    client.readContract({ ...token, functionName: "allowance", args: [deployer, record.rewards] }),
    client.readContract({ ...rewards, functionName: "floatBalance" }),
  ]);
  const isTreasury = same(deployer, parameters.treasury);
  return [
    ...guarded.flat(),
    { what: `rewards: the operator is ${parameters.operator}`, holds: relays, found: relays ? "operator" : "no role" },
    { what: "rewards: the float is there", holds: float >= parameters.float, found: `${float}` },
    ...(isTreasury ? [] : [{ what: "token: the deployer holds none", holds: kept === 0n, found: `${kept}` }]),
    { what: "token: the deployer's allowance is used up", holds: allowance === 0n, found: `${allowance}` },
  ];
}
