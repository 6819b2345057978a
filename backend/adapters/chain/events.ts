import { decodeEventLog, getAddress, hexToString, type Log } from "viem";
import type { ChainEventRow, Deployment, ReceiptEvent } from "../../ports.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi } from "./abi.ts";

type Hex = `0x${string}`;
type RawLog = Pick<Log, "address" | "topics" | "data">;

const SEQUENCE_MASK = (1n << 64n) - 1n;

/** Addresses whose events are followed. */
export const followedAddresses = ({ identity, rewards, nft }: Deployment): Hex[] => [
  identity,
  rewards,
  ...Object.values(nft),
];

/** The slug inside a game id: ASCII, right-padded with zeros to 32 bytes. */
export const slugOf = (gameId: Hex): string => hexToString(gameId, { size: 32 });

function decode<const Abi extends readonly unknown[]>(abi: Abi, log: RawLog) {
  try {
    // Strict: a log that has our topic but another form is not ours.
    return decodeEventLog({ abi, data: log.data, topics: log.topics, strict: true });
  } catch {
    return null;
  }
}

function decodeRewards(log: RawLog): ReceiptEvent | null {
  const event = decode(rewardsV2Abi, log);
  if (event === null) return null;
  return { ...event.args, name: event.eventName } as ReceiptEvent;
}

function decodeNft(slug: string, log: RawLog): ReceiptEvent | null {
  const event = decode(gameNFTAbi, log);
  if (event === null) return null;
  return { ...event.args, name: event.eventName, slug, tier: Number(event.args.tier) } as ReceiptEvent;
}

/** What a log says, where it is an event we follow, of one of our contracts; else null. */
export function decodeLog(deployment: Deployment, log: RawLog): ReceiptEvent | null {
  const address = getAddress(log.address);
  if (address === getAddress(deployment.rewards)) return decodeRewards(log);
  if (address === getAddress(deployment.identity)) {
    const event = decode(agentIdentityAbi, log);
    if (event === null) return null;
    const { agentId, agentURI, owner } = event.args;
    return { name: "Registered", agentId, tokenURI: agentURI, owner };
  }
  const slug = Object.keys(deployment.nft).find((key) => getAddress(deployment.nft[key]!) === address);
  return slug === undefined ? null : decodeNft(slug, log);
}

type Place = Pick<ChainEventRow, "block" | "blockHash" | "blockTime" | "txHash" | "logIndex">;

/** An event as the store keeps it. */
export function toEventRow(event: ReceiptEvent, place: Place): ChainEventRow {
  const row = {
    ...place,
    name: event.name,
    slug: null,
    gameSessionHash: null,
    sequence: null,
    tokenId: null,
    tier: null,
    score: null,
    scorebank: null,
    amount: null,
  };
  if (event.name === "Registered") return { ...row, wallet: event.owner, tokenId: event.agentId };
  if (event.name === "Payout") return { ...row, wallet: event.wallet, score: event.score, amount: event.amount };
  if (event.name === "ScoreSnapshot") {
    const { wallet, gameId, gameSessionHash, score, scorebank } = event;
    const sequence = BigInt(gameSessionHash) & SEQUENCE_MASK;
    return { ...row, wallet, slug: slugOf(gameId), gameSessionHash, sequence, score, scorebank };
  }
  const { wallet, slug, tokenId, score, tier } = event;
  return { ...row, wallet, slug, tokenId, score, tier };
}
