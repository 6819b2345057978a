/** What each role signs, made of stored final facts and of facts that were read from the chain for the request. */
import type { Address, Hex } from "viem";
import { REGISTRATION_TIMES } from "../../domain/identity.ts";
import { toGameId } from "../../domain/replay/replay.ts";
import type { Fresh, GameNftRecord } from "../ports/chain.ts";
import type { SessionRow } from "../ports/store/sessions.ts";
import type { SigningRequest } from "./signed-calls.ts";

/** Seconds that a prepared mint or upgrade of a game NFT stays valid. */
const NFT_TTL_SECONDS = 600;
/** Seconds that a prepared snapshot stays valid. */
const SNAPSHOT_TTL_SECONDS = 600;

/** The mint of a wallet's identity. `deadline`: asked for by the wallet, and checked. */
export function createIdentityMint(facts: {
  readonly wallet: Address;
  readonly metadataDigest: Hex;
  /** The wallet's next mint nonce. */
  readonly nonce: Fresh<bigint>;
  readonly contract: Address;
  readonly deadline: bigint | undefined;
}): SigningRequest {
  const { wallet, metadataDigest, nonce, contract, deadline } = facts;
  return {
    role: "identity",
    primaryType: "MintIdentity",
    verifyingContract: contract,
    // A wallet may register again with another description until it has minted, so the digest is part of the key.
    key: `${wallet}:${nonce.value}:${metadataDigest}`,
    facts: { to: wallet, metadataDigest, nonce: nonce.value.toString() },
    reads: [nonce],
    ttlSeconds: REGISTRATION_TIMES.defaultSeconds,
    ...(deadline === undefined ? {} : { deadline }),
    functionName: "mintIdentityWithSignature",
    args: [wallet, metadataDigest],
  };
}

/** The mint of the identity's token of a game, or the upgrade of a token that the wallet owns. */
export function createGameNftCall(facts: {
  readonly wallet: Address;
  readonly slug: string;
  /** The wallet's identity now. */
  readonly identity: Fresh<bigint>;
  readonly tokenId: bigint;
  /** The record of `tokenId`; null: it is minted now, for the identity. */
  readonly record: Fresh<GameNftRecord | null>;
  readonly score: number;
  readonly contract: Address;
}): SigningRequest {
  const { wallet, slug, identity, tokenId, record, score, contract } = facts;
  const isMint = record.value === null;
  const id = tokenId.toString();
  const points = String(score);
  return {
    role: `nft:${slug}`,
    primaryType: isMint ? "MintGameNft" : "UpgradeGameNft",
    verifyingContract: contract,
    slug,
    key: `${wallet}:${id}:${points}`,
    facts: { wallet, agentId: id, score: points },
    reads: [identity, record],
    ttlSeconds: NFT_TTL_SECONDS,
    functionName: isMint ? "mintSigned" : "upgradeSigned",
    args: [wallet, id, points],
  };
}

/** A final score, and whether the rewards contract has consumed its sequence. */
export interface SnapshotFacts {
  readonly row: SessionRow;
  readonly isConsumed: Fresh<boolean>;
}

const toSnapshotMessage = ({ wallet, slug, score, gameSessionHash }: SessionRow) => ({
  wallet: wallet!,
  gameId: toGameId(slug),
  score: String(score),
  gameSessionHash: gameSessionHash!,
});

/** The contract consumes the sequence, so no two sessions are ever signed under one key. */
const toSnapshotKey = ({ wallet, sequence }: SessionRow) => `${wallet}:${sequence}`;

export function createSnapshot({ row, isConsumed }: SnapshotFacts, rewards: Address): SigningRequest {
  const facts = toSnapshotMessage(row);
  return {
    role: "score",
    primaryType: "Snapshot",
    verifyingContract: rewards,
    key: toSnapshotKey(row),
    facts,
    reads: [isConsumed],
    ttlSeconds: SNAPSHOT_TTL_SECONDS,
    functionName: "snapshotScoreSigned",
    args: [facts.wallet, facts.gameId, facts.score, facts.gameSessionHash],
  };
}

/** Several scores of one wallet in one call. */
export function createSnapshotBatch(
  scores: readonly [SnapshotFacts, ...SnapshotFacts[]],
  rewards: Address,
): SigningRequest {
  const [{ row: first, isConsumed }, ...others] = scores;
  const wallet = first.wallet!;
  const rows = scores.map(({ row }) => row);
  const items = rows.map((row) => {
    const { gameSessionHash, gameId, score } = toSnapshotMessage(row);
    return { gameSessionHash, gameId, score };
  });
  return {
    role: "score",
    primaryType: "SnapshotBatch",
    verifyingContract: rewards,
    key: `${wallet}:${rows.map((row) => row.sequence).join(",")}`,
    facts: { wallet, items },
    batchItems: rows.map((row) => ({
      primaryType: "Snapshot",
      key: toSnapshotKey(row),
      facts: toSnapshotMessage(row),
    })),
    reads: [isConsumed, ...others.map((score) => score.isConsumed)],
    ttlSeconds: SNAPSHOT_TTL_SECONDS,
    functionName: "snapshotScoresSigned",
    args: [wallet, items],
  };
}
