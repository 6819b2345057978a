/** Rows to test with: complete, and every part can be replaced. */
import { keccak256, stringToHex } from "viem";
import { makeOrder, NATIVE_COIN } from "../../../backend/domain/market.ts";
import type {
  Address,
  ChainEventRow,
  ChannelTokenRow,
  EndedSession,
  Hex,
  NewListing,
  NewSession,
  NewTokens,
  NonceRow,
  PayoutRow,
  SessionRow,
  Store,
  TransactionRow,
} from "../../../backend/ports.ts";

export const ALICE: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const BOB: Address = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
export const T0 = 1_800_000_000_000;

export const hexOf = (text: string): Hex => keccak256(stringToHex(text));

let counter = 0;
/** Different at every call, and ascending as text. */
export const freshId = (): string => `id-${String(++counter).padStart(8, "0")}`;

export const nonceRow = (change: Partial<NonceRow> = {}): NonceRow => ({
  nonce: freshId(),
  purpose: "auth",
  wallet: ALICE,
  slug: "shellrunners",
  message: "sign in",
  issuedAtMs: T0,
  expiresAtMs: T0 + 300_000,
  usedAtMs: null,
  ...change,
});

export function newTokens(familyId: string, expiresAtMs: number = T0 + 86_400_000): NewTokens {
  const facts = { familyId, wallet: ALICE, slug: "shellrunners", expiresAtMs, revokedAtMs: null };
  return {
    access: { ...facts, tokenHash: freshId() },
    refresh: {
      ...facts,
      tokenHash: freshId(),
      accessTtlSeconds: 3600,
      successorSalt: null,
      rotatedAtMs: null,
      successorAccessExpiresAtMs: null,
    },
  };
}

export const newSession = (change: Partial<NewSession> = {}): NewSession => ({
  sessionId: freshId(),
  slug: "shellrunners",
  source: "agent_api",
  wallet: ALICE,
  agentId: "1",
  agentName: "Alice",
  practiceTokenHash: null,
  seed: hexOf("seed"),
  seedCommitment: hexOf("commitment"),
  rulesVersion: 1,
  tickHz: 20,
  startedAtMs: T0,
  ...change,
});

export const endedSession = (sessionId: string, change: Partial<EndedSession> = {}): EndedSession => ({
  sessionId,
  endedAtMs: T0 + 60_000,
  endReason: "lives_lost",
  score: 100,
  tick: 1200,
  inputs: [[3, 1]],
  stateDigests: [hexOf("state")],
  replayDigest: hexOf("replay"),
  ...change,
});

/** A hash whose low 64 bits are the sequence, as the contract wants it. */
export const hashFor =
  (sessionId: string) =>
  (sequence: bigint): Hex =>
    `${hexOf(sessionId).slice(0, 50)}${sequence.toString(16).padStart(16, "0")}` as Hex;

/** A session that was played and has ended. */
export async function play(
  store: Store,
  change: Partial<NewSession> = {},
  ending: Partial<EndedSession> = {},
): Promise<SessionRow> {
  const session = newSession(change);
  await store.sessions.add(session);
  return store.sessions.end(endedSession(session.sessionId, ending), hashFor(session.sessionId));
}

export const blockHash = (block: number, fork = ""): Hex => hexOf(`block ${block}${fork}`);

export function chainEvent(name: ChainEventRow["name"], change: Partial<ChainEventRow> = {}): ChainEventRow {
  const block = change.block ?? 10;
  return {
    block,
    blockHash: blockHash(block),
    blockTime: T0 / 1000 + block,
    txHash: hexOf(freshId()),
    logIndex: 0,
    name,
    wallet: ALICE,
    slug: null,
    gameSessionHash: null,
    sequence: null,
    tokenId: null,
    tier: null,
    score: null,
    scorebank: null,
    amount: null,
    ...change,
  };
}

/** The event of a session's snapshot. */
export const snapshotOf = (row: SessionRow, change: Partial<ChainEventRow> = {}): ChainEventRow =>
  chainEvent("ScoreSnapshot", {
    wallet: row.wallet ?? ALICE,
    slug: row.slug,
    gameSessionHash: row.gameSessionHash,
    sequence: row.sequence,
    score: BigInt(row.score),
    scorebank: BigInt(row.score),
    ...change,
  });

/** Stores events with a block for each number they stand in. */
export async function mine(store: Store, ...events: readonly ChainEventRow[]): Promise<void> {
  const blocks = new Map(events.map((event) => [event.block, { number: event.block, hash: event.blockHash }]));
  await store.chain.append([...blocks.values()], events);
}

export const channelToken = (change: Partial<ChannelTokenRow> = {}): ChannelTokenRow => ({
  tokenHash: freshId(),
  kind: "play",
  sessionId: "a session",
  wallet: ALICE,
  ip: null,
  expiresAtMs: T0 + 60_000,
  usedAtMs: null,
  revokedAtMs: null,
  ...change,
});

export const payoutRow = (change: Partial<PayoutRow> = {}): PayoutRow => ({
  payoutId: freshId(),
  wallet: ALICE,
  slug: null,
  status: "pending",
  transactionId: null,
  txHash: null,
  score: 5_000n,
  amount: 5_000n * 10n ** 18n,
  createdAtMs: T0,
  ...change,
});

export const transactionRow = (nonce: number, change: Partial<TransactionRow> = {}): TransactionRow => ({
  id: freshId(),
  kind: "payout",
  key: freshId(),
  from: ALICE,
  nonce,
  to: BOB,
  data: "0x1234",
  value: 0n,
  raw: "0x02f8",
  txHash: hexOf(freshId()),
  maxFeePerGas: 30_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
  status: "queued",
  block: null,
  createdAtMs: T0,
  sentAtMs: null,
  ...change,
});

/** A draft of a listing. */
export function newListing(change: Partial<NewListing> = {}): NewListing {
  const seller = change.seller ?? ALICE;
  const contract: Hex = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
  const order = makeOrder({
    seller,
    contract,
    tokenId: 1n,
    price: 100n,
    currency: NATIVE_COIN,
    royalty: null,
    counter: 0n,
    salt: 7n,
    startTime: T0 / 1000,
    endTime: T0 / 1000 + 60,
  });
  return {
    listingId: hexOf(freshId()),
    seller,
    collection: "identity",
    contract,
    tokenId: 1n,
    price: 100n,
    currency: NATIVE_COIN,
    order,
    createdAtMs: T0,
    endsAtMs: T0 + 86_400_000,
    ...change,
  };
}
