import { type Address, type PublicClient, zeroAddress } from "viem";
import { isSameAddress } from "../../domain/addresses.ts";
import { ACCESS_CONTROL_ABI, REWARDS_ABI, ROYALTY_ABI, TOKEN_ABI } from "../abi.ts";
import type { ArcadeParameters } from "../modules/parameters.ts";
import type { DeploymentRecord } from "../record.ts";

/** One fact of the hand-over, read from the chain. */
export interface HandOverCheck {
  readonly what: string;
  readonly holds: boolean;
  readonly found: string;
}

/** The contracts that know roles, by name. */
const listAccessControlledContracts = (
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
): Promise<readonly HandOverCheck[]> {
  const contract = { address, abi: ACCESS_CONTROL_ABI } as const;
  const [holder, adminRole, guardianRole] = await Promise.all([
    client.readContract({ ...contract, functionName: "defaultAdmin" }),
    client.readContract({ ...contract, functionName: "DEFAULT_ADMIN_ROLE" }),
    client.readContract({ ...contract, functionName: "GUARDIAN_ROLE" }),
  ]);
  const has = (role: `0x${string}`, account: Address): Promise<boolean> =>
    client.readContract({ ...contract, functionName: "hasRole", args: [role, account] });
  const isGuardian = await has(guardianRole, guardian);
  const facts = [
    { what: `${name}: the admin is ${admin}`, holds: isSameAddress(holder, admin), found: holder },
    {
      what: `${name}: the guardian is ${guardian}`,
      holds: isGuardian,
      found: isGuardian ? guardian : "not a guardian",
    },
  ];
  if (isSameAddress(deployer, admin)) return facts;
  const retainedRoles = [
    ...((await has(adminRole, deployer)) ? ["admin"] : []),
    ...((await has(guardianRole, deployer)) ? ["guardian"] : []),
  ];
  const found = retainedRoles.length === 0 ? "no role" : retainedRoles.join(", ");
  return [...facts, { what: `${name}: the deployer holds no role`, holds: retainedRoles.length === 0, found }];
}

const BASIS_POINTS = 10_000n;

const compare = (what: string, expected: unknown, found: unknown): HandOverCheck => ({
  what: `${what} is ${expected}`,
  holds: String(expected).toLowerCase() === String(found).toLowerCase(),
  found: String(found),
});

/** The keys whose signatures count, each the only one in its contract. */
async function checkSigners(
  client: PublicClient,
  { signers }: ArcadeParameters,
  record: DeploymentRecord,
): Promise<readonly HandOverCheck[]> {
  const decided: readonly [string, Address, Address | undefined][] = [
    ["identity", record.identity, signers.identity],
    ["rewards", record.rewards, signers.score],
    ...Object.entries(record.nft).map(([slug, address]): [string, Address, Address | undefined] => [
      ...([`nft.${slug}`, address] as const),
      signers.nft[slug],
    ]),
  ];
  return Promise.all(
    decided.map(async ([name, address, signer]) => {
      const contract = { address, abi: ACCESS_CONTROL_ABI } as const;
      const [first] = await client.readContract({ ...contract, functionName: "signer" });
      const [alternate] = await client.readContract({ ...contract, functionName: "alternateSigner" });
      const found = alternate === zeroAddress ? first : `${first} and ${alternate}`;
      return compare(`${name}: the signer`, signer, found);
    }),
  );
}

/** The limits of payouts, in token base units, points and seconds. */
async function checkLimits(
  client: PublicClient,
  { rewards: limits }: ArcadeParameters,
  record: DeploymentRecord,
): Promise<readonly HandOverCheck[]> {
  const rewards = { address: record.rewards, abi: REWARDS_ABI } as const;
  const [[daily, weekly], maxPayout, minScore, maxScore, rate, cooldown] = await Promise.all([
    client.readContract({ ...rewards, functionName: "caps" }),
    client.readContract({ ...rewards, functionName: "maxPayout" }),
    client.readContract({ ...rewards, functionName: "minScore" }),
    client.readContract({ ...rewards, functionName: "maxScorePerSession" }),
    client.readContract({ ...rewards, functionName: "scoreToTokenRate" }),
    client.readContract({ ...rewards, functionName: "payoutCooldown" }),
  ]);
  return [
    compare("rewards: the daily cap", limits.dailyCap, daily),
    compare("rewards: the weekly cap", limits.weeklyCap, weekly),
    compare("rewards: the most of one payout", limits.maxPayout, maxPayout),
    compare("rewards: the least score", limits.minScore, minScore),
    compare("rewards: the highest session", limits.maxScorePerSession, maxScore),
    compare("rewards: the rate", limits.scoreToTokenRate, rate),
    compare("rewards: the cooldown", limits.payoutCooldownSeconds, cooldown),
  ];
}

async function checkRoyalties(
  client: PublicClient,
  { royaltyBasisPoints, treasury }: ArcadeParameters,
  record: DeploymentRecord,
): Promise<readonly HandOverCheck[]> {
  const checks = Object.entries(record.nft).map(async ([slug, address]) => {
    const args = [1n, BASIS_POINTS] as const;
    const call = { address, abi: ROYALTY_ABI, functionName: "royaltyInfo", args } as const;
    const [receiver, amount] = await client.readContract(call);
    return [
      compare(`nft.${slug}: the royalty (basis points)`, royaltyBasisPoints, amount),
      compare(`nft.${slug}: the royalty's receiver`, treasury, receiver),
    ];
  });
  return (await Promise.all(checks)).flat();
}

/** Whether the intended accounts hold all roles and tokens, and the deployer none, as the chain says. */
export async function checkHandOver(
  client: PublicClient,
  parameters: ArcadeParameters,
  record: DeploymentRecord,
  deployer: Address,
): Promise<readonly HandOverCheck[]> {
  const rewards = { address: record.rewards, abi: REWARDS_ABI } as const;
  const token = { address: record.token, abi: TOKEN_ABI } as const;
  const contractChecks = await Promise.all(
    listAccessControlledContracts(record).map((one) => checkContract(client, parameters, deployer, one)),
  );
  const operatorRole = await client.readContract({ ...rewards, functionName: "OPERATOR_ROLE" });
  const [isOperator, deployerBalance, treasuryBalance, allowance, float] = await Promise.all([
    client.readContract({ ...rewards, functionName: "hasRole", args: [operatorRole, parameters.operator] }),
    client.readContract({ ...token, functionName: "balanceOf", args: [deployer] }),
    client.readContract({ ...token, functionName: "balanceOf", args: [parameters.treasury] }),
    client.readContract({ ...token, functionName: "allowance", args: [deployer, record.rewards] }),
    client.readContract({ ...rewards, functionName: "floatBalance" }),
  ]);
  const isTreasury = isSameAddress(deployer, parameters.treasury);
  const treasuryShare = parameters.token.supply - parameters.float;
  return [
    ...contractChecks.flat(),
    ...(await checkSigners(client, parameters, record)),
    ...(await checkLimits(client, parameters, record)),
    ...(await checkRoyalties(client, parameters, record)),
    {
      what: `rewards: the operator is ${parameters.operator}`,
      holds: isOperator,
      found: isOperator ? "operator" : "no role",
    },
    {
      what: `token: the treasury has the rest of the supply, ${treasuryShare}`,
      holds: treasuryBalance >= treasuryShare,
      found: `${treasuryBalance}`,
    },
    { what: "rewards: the float is there", holds: float >= parameters.float, found: `${float}` },
    ...(isTreasury
      ? []
      : [{ what: "token: the deployer holds none", holds: deployerBalance === 0n, found: `${deployerBalance}` }]),
    { what: "token: the deployer's allowance is used up", holds: allowance === 0n, found: `${allowance}` },
  ];
}
