import { type Address, type PublicClient, zeroAddress } from "viem";
import { isSameAddress } from "../../domain/addresses.ts";
import { ACCESS_CONTROL_ABI, REWARDS_ABI, ROYALTY_ABI, TOKEN_ABI } from "../abi.ts";
import type { ArcadeParameters } from "../modules/parameters.ts";
import { formatTokens } from "../modules/token-amount.ts";
import type { DeploymentRecord } from "../record.ts";

/** One fact of the deployment's result, read from the chain. */
export interface HandOverCheck {
  readonly what: string;
  readonly holds: boolean;
  readonly found: string;
  /** The contract that has the fact: `rewards`, `nft.flappybots`. */
  readonly contract: string;
  /** What can change the fact after the deployment; null if no documented command does. */
  readonly changedBy: string | null;
}

/** The operator commands that change a fact. */
const CHANGES = {
  admin: "npm run admin -- chain transfer-admin",
  role: "npm run admin -- chain grant or remove",
  signer: "npm run admin -- chain rotate or revoke",
  limits: "npm run admin -- chain limits",
  tokens: "npm run admin -- chain fund and the treasury's transfers",
  float: "payouts and npm run admin -- chain withdraw",
} as const;

type About = Pick<HandOverCheck, "contract" | "changedBy">;

const fact = (about: About, what: string, holds: boolean, found: unknown): HandOverCheck => ({
  ...about,
  what: `${about.contract}: ${what}`,
  holds,
  found: String(found),
});

/** Compares one fact; `planned` is the value under `next` in the roles file. */
const compare = (about: About, what: string, expected: unknown, found: unknown, planned = expected): HandOverCheck => {
  const accepted = [expected, planned].map((value) => String(value).toLowerCase());
  return fact(about, `${what} is ${expected}`, accepted.includes(String(found).toLowerCase()), found);
};

/** The contracts with roles, by name. */
const listAccessControlledContracts = (
  record: Pick<DeploymentRecord, "identity" | "rewards" | "nft">,
): readonly [string, Address][] => [
  ["identity", record.identity],
  ...Object.entries(record.nft).map(([slug, address]): [string, Address] => [`nft.${slug}`, address]),
  ["rewards", record.rewards],
];

async function checkContract(
  client: PublicClient,
  { admin, guardian, next = {} }: ArcadeParameters,
  deployer: Address,
  [name, address]: readonly [string, Address],
): Promise<readonly HandOverCheck[]> {
  const contract = { address, abi: ACCESS_CONTROL_ABI } as const;
  const [holder, adminRole, guardianRole] = await Promise.all([
    client.readContract({ ...contract, functionName: "defaultAdmin" }),
    client.readContract({ ...contract, functionName: "DEFAULT_ADMIN_ROLE" }),
    client.readContract({ ...contract, functionName: "GUARDIAN_ROLE" }),
  ]);
  const has = (role: `0x${string}`, account: string): Promise<boolean> =>
    client.readContract({ ...contract, functionName: "hasRole", args: [role, account as Address] });
  const isGuardian =
    (await has(guardianRole, guardian)) || (next.guardian !== undefined && (await has(guardianRole, next.guardian)));
  const facts = [
    compare({ contract: name, changedBy: CHANGES.admin }, "the admin", admin, holder, next.admin),
    fact(
      { contract: name, changedBy: CHANGES.role },
      `the guardian is ${guardian}`,
      isGuardian,
      isGuardian ? guardian : "no role",
    ),
  ];
  if (isSameAddress(deployer, admin)) return facts;
  const retainedRoles = [
    ...((await has(adminRole, deployer)) ? ["admin"] : []),
    ...((await has(guardianRole, deployer)) ? ["guardian"] : []),
  ];
  const found = retainedRoles.length === 0 ? "no role" : retainedRoles.join(", ");
  const isFree = retainedRoles.length === 0;
  return [...facts, fact({ contract: name, changedBy: null }, "the deployer holds no role", isFree, found)];
}

const BASIS_POINTS = 10_000n;

/** The active signers, each the only one in its contract. */
async function checkSigners(
  client: PublicClient,
  { signers, next = {} }: ArcadeParameters,
  record: DeploymentRecord,
): Promise<readonly HandOverCheck[]> {
  const decided: readonly (readonly [string, Address, Address | undefined, string])[] = [
    ["identity", record.identity, signers.identity, "signers.identity"],
    ["rewards", record.rewards, signers.score, "signers.score"],
    ...Object.entries(record.nft).map(
      ([slug, address]) => [`nft.${slug}`, address, signers.nft[slug], `signers.nft.${slug}`] as const,
    ),
  ];
  return Promise.all(
    decided.map(async ([name, address, signer, path]) => {
      const contract = { address, abi: ACCESS_CONTROL_ABI } as const;
      const [first] = await client.readContract({ ...contract, functionName: "signer" });
      const [alternate] = await client.readContract({ ...contract, functionName: "alternateSigner" });
      const found = alternate === zeroAddress ? first : `${first} and ${alternate}`;
      return compare({ contract: name, changedBy: CHANGES.signer }, "the signer", signer, found, next[path]);
    }),
  );
}

/** The limits of payouts, in token base units, points and seconds. */
async function checkLimits(
  client: PublicClient,
  { rewards: limits, token, next = {} }: ArcadeParameters,
  record: DeploymentRecord,
): Promise<readonly HandOverCheck[]> {
  const compareAmounts = (about: About, what: string, expected: bigint, found: bigint, planned?: unknown) => ({
    ...compare(about, what, expected, found, planned),
    what: `${about.contract}: ${what} is ${formatTokens(expected, token)}`,
    found: formatTokens(found, token),
  });
  const rewards = { address: record.rewards, abi: REWARDS_ABI } as const;
  const [[daily, weekly], maxPayout, minScore, maxScore, rate, cooldown] = await Promise.all([
    client.readContract({ ...rewards, functionName: "caps" }),
    client.readContract({ ...rewards, functionName: "maxPayout" }),
    client.readContract({ ...rewards, functionName: "minScore" }),
    client.readContract({ ...rewards, functionName: "maxScorePerSession" }),
    client.readContract({ ...rewards, functionName: "scoreToTokenRate" }),
    client.readContract({ ...rewards, functionName: "payoutCooldown" }),
  ]);
  const changeable = { contract: "rewards", changedBy: CHANGES.limits };
  const fixed = { contract: "rewards", changedBy: null };
  return [
    compareAmounts(changeable, "the daily cap", limits.dailyCap, daily, next["rewards.dailyCap"]),
    compareAmounts(changeable, "the weekly cap", limits.weeklyCap, weekly, next["rewards.weeklyCap"]),
    compareAmounts(changeable, "the maximum of one payout", limits.maxPayout, maxPayout, next["rewards.maxPayout"]),
    compare(
      changeable,
      "the maximum score of a session",
      limits.maxScorePerSession,
      maxScore,
      next["rewards.maxScorePerSession"],
    ),
    compare(fixed, "the minimum score", limits.minScore, minScore),
    compareAmounts(fixed, "the rate per point", limits.scoreToTokenRate, rate),
    compare(fixed, "the cooldown in seconds", limits.payoutCooldownSeconds, cooldown),
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
    const about = { contract: `nft.${slug}`, changedBy: null };
    return [
      compare(about, "the royalty (basis points)", royaltyBasisPoints, amount),
      compare(about, "the royalty's receiver", treasury, receiver),
    ];
  });
  return (await Promise.all(checks)).flat();
}

/** Whether the intended accounts hold all roles and tokens, and the deployer none, by the state on chain. */
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
  const { operator, next = {} } = parameters;
  const isOne = (account: string): Promise<boolean> =>
    client.readContract({ ...rewards, functionName: "hasRole", args: [operatorRole, account as Address] });
  const [isOperator, deployerBalance, treasuryBalance, allowance, float] = await Promise.all([
    isOne(operator).then((isIt) => isIt || (next.operator !== undefined && isOne(next.operator))),
    client.readContract({ ...token, functionName: "balanceOf", args: [deployer] }),
    client.readContract({ ...token, functionName: "balanceOf", args: [parameters.treasury] }),
    client.readContract({ ...token, functionName: "allowance", args: [deployer, record.rewards] }),
    client.readContract({ ...rewards, functionName: "floatBalance" }),
  ]);
  const isTreasury = isSameAddress(deployer, parameters.treasury);
  const rewardsFacts = { contract: "rewards" };
  const tokenFacts = { contract: "token", changedBy: null };
  const tokens = (amount: bigint): string => formatTokens(amount, parameters.token);
  const treasuryShare = parameters.token.supply - parameters.float;
  return [
    ...contractChecks.flat(),
    ...(await checkSigners(client, parameters, record)),
    ...(await checkLimits(client, parameters, record)),
    ...(await checkRoyalties(client, parameters, record)),
    fact(
      { ...rewardsFacts, changedBy: CHANGES.role },
      `the operator is ${operator}`,
      isOperator,
      isOperator ? operator : "no role",
    ),
    fact(
      { ...rewardsFacts, changedBy: CHANGES.float },
      `the float of ${tokens(parameters.float)} is in the rewards contract`,
      float >= parameters.float,
      tokens(float),
    ),
    fact(
      { ...tokenFacts, changedBy: CHANGES.tokens },
      `the treasury has the rest of the supply, ${tokens(treasuryShare)}`,
      treasuryBalance >= treasuryShare,
      tokens(treasuryBalance),
    ),
    ...(isTreasury
      ? []
      : [fact(tokenFacts, "the deployer holds none", deployerBalance === 0n, tokens(deployerBalance))]),
    fact(tokenFacts, "the deployer's allowance is used up", allowance === 0n, tokens(allowance)),
  ];
}

/** A fact that an operator command has changed since its contract was deployed. `newGames`: deployed just now. */
export const isChangedSince = ({ holds, changedBy, contract }: HandOverCheck, newGames: readonly string[]): boolean =>
  !holds && changedBy !== null && !newGames.includes(contract);
