import type { Hex } from "viem";
import { decodeEventLog, getAddress, hexToString, type Log } from "viem";
import { parseSequence } from "../../domain/replay/replay.ts";
import type { Deployment, ReceiptEvent } from "../../ports/chain.ts";
import type { ChainEventRow } from "../../ports/store/chain.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi } from "./abi.ts";

type RawLog = Pick<Log, "address" | "topics" | "data">;

/** The addresses whose events are indexed. */
export const getIndexedAddresses = ({ identity, rewards, nft }: Deployment): Hex[] => [
  identity,
  rewards,
  ...Object.values(nft),
];

/** The slug inside a game id: ASCII, right-padded with zeros to 32 bytes. */
const parseGameId = (gameId: Hex): string => hexToString(gameId, { size: 32 });

function decode<const Abi extends readonly unknown[]>(abi: Abi, log: RawLog) {
  try {
    // Strict: a log with the same topic and another form is not an event of our contracts.
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

/** The event of a log; null when it is not an indexed event of the deployment's contracts. */
export function decodeLog(deployment: Deployment, log: RawLog): ReceiptEvent | null {
  const address = getAddress(log.address);
  if (address === getAddress(deployment.rewards)) return decodeRewards(log);
  if (address === getAddress(deployment.identity)) {
    const event = decode(agentIdentityAbi, log);
    if (event === null) return null;
    if (event.eventName === "PrimaryIdentitySet") return { name: event.eventName, ...event.args };
    const { agentId, agentURI, owner } = event.args;
    return { name: "Registered", agentId, tokenURI: agentURI, owner };
  }
  const slug = Object.keys(deployment.nft).find((key) => getAddress(deployment.nft[key]!) === address);
  return slug === undefined ? null : decodeNft(slug, log);
}

type LogPosition = Pick<ChainEventRow, "block" | "blockHash" | "blockTime" | "txHash" | "logIndex">;

/** An event as a row of the store. */
export function toEventRow(event: ReceiptEvent, position: LogPosition): ChainEventRow {
  const row = {
    ...position,
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
  if (event.name === "PrimaryIdentitySet") return { ...row, wallet: event.wallet, tokenId: event.agentId };
  if (event.name === "Payout") {
    const { wallet, score, amount, scorebank } = event;
    return { ...row, wallet, score, amount, scorebank };
  }
  if (event.name === "ScoreSnapshot") {
    const { wallet, gameId, gameSessionHash, score, scorebank } = event;
    const sequence = parseSequence(gameSessionHash);
    return { ...row, wallet, slug: parseGameId(gameId), gameSessionHash, sequence, score, scorebank };
  }
  const { wallet, slug, tokenId, score, tier } = event;
  return { ...row, wallet, slug, tokenId, score, tier };
}
