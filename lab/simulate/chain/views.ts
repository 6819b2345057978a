/** The views of the chain model's contracts that the service reads. */
import { type Abi, type Hex, keccak256, stringToHex } from "viem";
import {
  agentIdentityAbi,
  gameNFTAbi,
  rewardsV2Abi,
  rewardTokenAbi,
} from "../../../domain/typed-data/contract-abis.ts";
import { encodeArguments } from "../../../domain/typed-data/encode-arguments.ts";
import type { ModelBlock } from "./chain.ts";
import type { Contracts } from "./contracts.ts";
import { decodeArguments, indexFunctions, ModelRevert } from "./encoding.ts";
import { NO_ACCOUNT, NO_HOLDER } from "./state.ts";

const functions = indexFunctions([agentIdentityAbi, gameNFTAbi, rewardsV2Abi, rewardTokenAbi] as readonly Abi[]);
const OPERATOR_ROLE = keccak256(stringToHex("OPERATOR_ROLE"));
/** The token that rewards are paid in; `supply` in base units. */
export const TOKEN = { name: "Simulated token", symbol: "SIM", supply: 10n ** 27n } as const;

export interface ViewContext {
  readonly contracts: Contracts;
  readonly block: ModelBlock;
  /** Unix seconds at which time-dependent views are read. */
  readonly time: bigint;
  readonly to: string;
}

const key = (value: unknown): string => String(value).toLowerCase();

function readIdentity(name: string, args: readonly unknown[], { block }: ViewContext): unknown[] | null {
  const { holders, identityOwners, lastAgentId } = block.state;
  const holder = holders.get(key(args[0])) ?? NO_HOLDER;
  switch (name) {
    case "primaryIdentity":
      return [holder.primaryId];
    case "mintNonces":
      return [holder.mintNonce];
    case "balanceOf":
      return [holder.balance];
    case "totalSupply":
      return [lastAgentId];
    case "ownerOf": {
      const owner = identityOwners.get(args[0] as bigint);
      if (owner === undefined) throw new ModelRevert("ERC721NonexistentToken", [args[0]]);
      return [owner];
    }
    default:
      return null;
  }
}

function readGame(name: string, args: readonly unknown[], context: ViewContext): unknown[] | null {
  const { contracts, block, to } = context;
  const { nft } = contracts.config.deployment;
  const slug = Object.keys(nft).find((candidate) => key(nft[candidate]) === to)!;
  const record = block.state.records.get(`${slug}:${args[0]}`);
  if (name === "ownerOf") {
    if (record === undefined) throw new ModelRevert("ERC721NonexistentToken", [args[0]]);
    return [record.owner];
  }
  if (name !== "recordOf") return null;
  const { score = 0n, mintedAt = 0n, upgradedAt = 0n, upgrades = 0n } = record ?? {};
  const times = { mintedAt: Number(mintedAt), upgradedAt: Number(upgradedAt), upgrades: Number(upgrades) };
  return [{ score, tier: contracts.tierOf(slug, score), ...times }];
}

function readRewards(
  name: string,
  args: readonly unknown[],
  { contracts, block, time }: ViewContext,
): unknown[] | null {
  const { limits, deployment, operator } = contracts.config;
  const { rate, dailyCap, weeklyCap, cooldownSeconds } = limits;
  const wallet = key(args[0]);
  const account = block.state.accounts.get(wallet) ?? NO_ACCOUNT;
  const terms = () => contracts.explainPayout(block.state, wallet, time);
  switch (name) {
    case "readiness": {
      const { reasons, nextPayoutAt, amount } = terms();
      return [reasons === 0n, reasons, nextPayoutAt, amount];
    }
    case "accountOf": {
      const { firstPlayAt, lastPayoutAt, lastSnapshotAt, snapshots, scorebank } = account;
      const times = [firstPlayAt, lastPayoutAt, lastSnapshotAt, snapshots].map(Number);
      const [first, payout, snapshot, count] = times;
      return [{ scorebank, firstPlayAt: first, lastPayoutAt: payout, lastSnapshotAt: snapshot, snapshots: count }];
    }
    case "getScorebank":
      return [account.scorebank];
    case "isSessionConsumed":
      return [block.state.consumed.has(`${wallet}:${BigInt(`0x${String(args[1]).slice(-16)}`)}`)];
    case "getDailyRemaining":
      return [terms().dailyLeft * rate];
    case "getWeeklyRemaining":
      return [terms().weeklyLeft * rate];
    case "floatBalance":
      return [block.state.tokens.get(key(deployment.rewards)) ?? 0n];
    case "caps":
      return [dailyCap * rate, weeklyCap * rate];
    case "maxPayout":
      return [limits.maxPayout * rate];
    case "minScore":
      return [limits.minScore];
    case "payoutCooldown":
      return [cooldownSeconds];
    case "lastPause":
      return [0n, 0n];
    case "scoreToTokenRate":
      return [rate];
    case "OPERATOR_ROLE":
      return [OPERATOR_ROLE];
    case "hasRole":
      return [args[0] === OPERATOR_ROLE && key(args[1]) === key(operator)];
    default:
      return null;
  }
}

function readToken(name: string, args: readonly unknown[], { block }: ViewContext): unknown[] | null {
  switch (name) {
    case "name":
      return [TOKEN.name];
    case "symbol":
      return [TOKEN.symbol];
    case "decimals":
      return [18];
    case "totalSupply":
      return [TOKEN.supply];
    case "balanceOf":
      return [block.state.tokens.get(key(args[0])) ?? 0n];
    default:
      return null;
  }
}

/** Views of each contract that accepts signatures: its signer, and whether it is paused. */
function readSigned(name: string, args: readonly unknown[], { contracts, to }: ViewContext): unknown[] | null {
  const { deployment, signers } = contracts.config;
  const slug = Object.keys(deployment.nft).find((candidate) => key(deployment.nft[candidate]) === to);
  const others = to === key(deployment.identity) ? signers.identity : signers.score;
  const signer = slug === undefined ? others : signers.nft[slug]!;
  if (name === "paused") return [false];
  if (name === "isSigner") return [key(signer) === key(args[0])];
  if (name === "signer") return [signer, false];
  return name === "alternateSigner" ? [`0x${"0".repeat(40)}`, false, 0n] : null;
}

function pickReader({ contracts, to }: ViewContext) {
  const { identity, rewards, token } = contracts.config.deployment;
  if (to === key(identity)) return readIdentity;
  if (to === key(rewards)) return readRewards;
  return to === key(token) ? readToken : readGame;
}

/** Views whose result changes with the time of the block. */
const TIMED = new Set(["readiness", "getDailyRemaining", "getWeeklyRemaining"]);
/** Views of the contracts' parameters, which no transaction of the model changes. */
const FIXED = new Set([
  ...["name", "symbol", "decimals", "caps", "maxPayout", "minScore", "payoutCooldown", "paused", "lastPause"],
  ...["scoreToTokenRate", "OPERATOR_ROLE", "hasRole", "isSigner", "signer", "alternateSigner"],
]);

/** What the result of a call depends on. Views outside these two lists depend on the block's state. */
export type Dependence = "time" | "state" | "nothing";

/** Null if the data does not call a view of the model. */
export function findDependence(data: Hex): Dependence | null {
  const name = functions.get(data.slice(0, 10))?.name;
  if (name === undefined) return null;
  if (TIMED.has(name)) return "time";
  return FIXED.has(name) ? "nothing" : "state";
}

/** Whether the data calls a view whose result stays the same while the state does. */
export function isTimeless(data: Hex): boolean {
  const dependence = findDependence(data);
  return dependence !== null && dependence !== "time";
}

/** The result of a view as ABI bytes; null if the model's contracts have no such view. Throws `ModelRevert`. */
export function readView(data: Hex, context: ViewContext): Hex | null {
  const item = functions.get(data.slice(0, 10));
  if (item === undefined) return null;
  const args = decodeArguments(item.inputs, data);
  const values = readSigned(item.name, args, context) ?? pickReader(context)(item.name, args, context);
  if (values === null) return null;
  // Contracts share some views' selectors, but those have the same result types.
  return `0x${encodeArguments(item.outputs, values)}`;
}
