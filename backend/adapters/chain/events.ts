import type { Abi, AbiEvent, Hex } from "viem";
import { decodeEventLog, getAddress, hexToString, type Log, toEventSelector, zeroAddress } from "viem";
import { parseSequence } from "../../../domain/replay/replay.ts";
import { agentIdentityAbi, gameNFTAbi, rewardsV2Abi } from "../../../domain/typed-data/contract-abis.ts";
import type { Deployment } from "../../ports/chain.ts";
import type { ReceiptEvent } from "../../ports/receipts.ts";
import type { ChainEventRow } from "../../ports/store/chain.ts";

type RawLog = Pick<Log, "address" | "topics" | "data">;

/** The addresses whose events are indexed. */
export const getIndexedAddresses = ({ identity, rewards, nft }: Deployment): Hex[] => [
  identity,
  rewards,
  ...Object.values(nft),
];

/** The slug inside a game id: ASCII, right-padded with zeros to 32 bytes. */
const parseGameId = (gameId: Hex): string => hexToString(gameId, { size: 32 });

/**
 * A contract's events by their first topic. Without this index viem would hash every event's signature for each log.
 */
const indexEvents = (abi: Abi): ReadonlyMap<Hex, AbiEvent> =>
  new Map(abi.flatMap((item) => (item.type === "event" ? [[toEventSelector(item), item] as const] : [])));

const eventIndexes = new Map(
  [rewardsV2Abi, gameNFTAbi, agentIdentityAbi].map((abi) => [abi as Abi, indexEvents(abi as Abi)]),
);

function decode<const Events extends Abi>(abi: Events, log: RawLog) {
  const event = eventIndexes.get(abi)?.get(log.topics[0]!);
  if (event === undefined) return null;
  try {
    // Strict: a log with the same topic but another layout is not an event of our contracts.
    return decodeEventLog({ abi: [event] as unknown as Events, data: log.data, topics: log.topics, strict: true });
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
  const tier = "tier" in event.args ? { tier: Number(event.args.tier) } : {};
  return { ...event.args, name: event.eventName, slug, ...tier } as ReceiptEvent;
}

function decodeIdentity(log: RawLog): ReceiptEvent | null {
  const event = decode(agentIdentityAbi, log);
  if (event === null) return null;
  if (event.eventName === "Transfer") return { name: event.eventName, slug: null, ...event.args };
  if (event.eventName !== "Registered") return { name: event.eventName, ...event.args } as ReceiptEvent;
  const { agentId, agentURI, owner } = event.args;
  return { name: "Registered", agentId, tokenURI: agentURI, owner };
}

/** The event of a log; null when it is not an indexed event of the deployment's contracts. */
export function decodeLog(deployment: Deployment, log: RawLog): ReceiptEvent | null {
  const address = getAddress(log.address);
  if (address === getAddress(deployment.rewards)) return decodeRewards(log);
  if (address === getAddress(deployment.identity)) return decodeIdentity(log);
  const slug = Object.keys(deployment.nft).find((key) => getAddress(deployment.nft[key]!) === address);
  return slug === undefined ? null : decodeNft(slug, log);
}

type LogPosition = Pick<ChainEventRow, "block" | "blockHash" | "blockTime" | "txHash" | "logIndex">;
type EventFacts = Partial<Omit<ChainEventRow, keyof LogPosition | "name">> & Pick<ChainEventRow, "wallet">;

/** Anyone can set a URI of any length. Longer ones are stored as null. */
const URI_BYTES_MAX = 8_192;
const toUri = (uri: string): string | null => (Buffer.byteLength(uri) > URI_BYTES_MAX ? null : uri);

/** The columns of an event other than its position. */
function toEventFacts(event: ReceiptEvent): EventFacts {
  switch (event.name) {
    case "Registered":
      return { wallet: event.owner, tokenId: event.agentId, uri: toUri(event.tokenURI) };
    case "PrimaryIdentitySet":
      return { wallet: event.wallet, tokenId: event.agentId };
    case "URIUpdated":
      return { wallet: event.updatedBy, tokenId: event.agentId, uri: toUri(event.newURI) };
    case "BaseURISet":
      return { wallet: zeroAddress, uri: toUri(event.baseURI) };
    case "Transfer":
      return { wallet: event.to, slug: event.slug, tokenId: event.tokenId };
    case "Payout":
      return { wallet: event.wallet, score: event.score, amount: event.amount, scorebank: event.scorebank };
    case "ScoreSnapshot": {
      const { wallet, gameId, gameSessionHash, score, scorebank } = event;
      const sequence = parseSequence(gameSessionHash);
      return { wallet, slug: parseGameId(gameId), gameSessionHash, sequence, score, scorebank };
    }
    case "SessionCancelled":
    case "SessionRestored": {
      const { wallet, gameSessionHash } = event;
      return { wallet, gameSessionHash, sequence: parseSequence(gameSessionHash) };
    }
    case "PointsVoided":
    case "PointsRestored":
      return { wallet: event.wallet, score: event.points, scorebank: event.scorebank };
    case "GameNftAnnulled":
      return { wallet: event.by, slug: event.slug, tokenId: event.tokenId, score: 0n, tier: 0 };
    default: {
      const { wallet, slug, tokenId, score, tier } = event;
      return { wallet, slug, tokenId, score, tier };
    }
  }
}

/** An event as a row of the store. */
export function toEventRow(event: ReceiptEvent, position: LogPosition): ChainEventRow {
  return {
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
    uri: null,
    ...toEventFacts(event),
  };
}
