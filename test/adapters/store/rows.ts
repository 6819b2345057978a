/** Complete rows for tests; each field can be replaced. */

import type { Address, Hex } from "viem";
import { keccak256, stringToHex } from "viem";
import type { ChannelTokenRow, NewTokens, NonceRow } from "../../../backend/ports/store/auth.ts";
import type { ChainEventRow, PayoutRow, TransactionRow } from "../../../backend/ports/store/chain.ts";
import type { IdempotencyRow } from "../../../backend/ports/store/idempotency.ts";
import type { NewListing } from "../../../backend/ports/store/market.ts";
import type { EndedSession, NewSession, RecordedChunk, SessionRow } from "../../../backend/ports/store/sessions.ts";
import type { TelemetryRow } from "../../../backend/ports/store/stats.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import { uuidV7 } from "../../../domain/ids.ts";
import { createOrder, NATIVE_COIN } from "../../../domain/market.ts";

export const ALICE: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const BOB: Address = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
export const BASE_TIME_MS = 1_800_000_000_000;

export const hashText = (text: string): Hex => keccak256(stringToHex(text));

let counter = 0;
/** A new value at every call, ascending as text. */
export const createId = (): string => `id-${String(++counter).padStart(8, "0")}`;

export const createNonceRow = (change: Partial<NonceRow> = {}): NonceRow => ({
  nonce: createId(),
  purpose: "auth",
  wallet: ALICE,
  slug: "shellrunners",
  message: "sign in",
  issuedAtMs: BASE_TIME_MS,
  expiresAtMs: BASE_TIME_MS + 300_000,
  usedAtMs: null,
  ...change,
});

export function createTokens(familyId: string, expiresAtMs: number = BASE_TIME_MS + 86_400_000): NewTokens {
  const facts = { familyId, wallet: ALICE, slug: "shellrunners", expiresAtMs, revokedAtMs: null };
  return {
    access: { ...facts, tokenHash: createId() },
    refresh: {
      ...facts,
      tokenHash: createId(),
      accessTtlSeconds: 3600,
      successorSalt: null,
      rotatedAtMs: null,
      successorAccessExpiresAtMs: null,
      contractDigest: null,
      contractSignature: null,
    },
  };
}

export const createSession = (change: Partial<NewSession> = {}): NewSession => ({
  sessionId: createId(),
  slug: "shellrunners",
  source: "agent_api",
  wallet: ALICE,
  agentId: "1",
  agentName: "Alice",
  practiceTokenHash: null,
  seed: hashText("seed"),
  seedCommitment: hashText("commitment"),
  rulesVersion: 2,
  tickHz: 20,
  startedAtMs: BASE_TIME_MS,
  ...change,
});

/** What a flush recorded of a session up to its tick 20. */
export const createChunk = (sessionId: string, change: Partial<RecordedChunk> = {}): RecordedChunk => ({
  sessionId,
  tick: 20,
  score: 7,
  phase: "running",
  inputs: [[7, 1]],
  entropy: null,
  pauses: [],
  ...change,
});

export const createEndedSession = (sessionId: string, change: Partial<EndedSession> = {}): EndedSession => ({
  sessionId,
  endedAtMs: BASE_TIME_MS + 60_000,
  endReason: "lives_lost",
  score: 100,
  tick: 1200,
  inputs: [[3, 1]],
  entropy: null,
  pauses: [],
  rulesHash: hashText("rules"),
  replayDigest: hashText("replay"),
  ...change,
});

/** A hash whose low 64 bits are the sequence, as the contract requires. */
export const createSessionHasher =
  (sessionId: string) =>
  (sequence: bigint): Hex =>
    `${hashText(sessionId).slice(0, 50)}${sequence.toString(16).padStart(16, "0")}` as Hex;

export const getIds = (rows: readonly { readonly sessionId: string }[]): string[] =>
  rows.map(({ sessionId }) => sessionId);

/** A session that has begun. */
export async function addSession({ sessions }: Store, change: Partial<NewSession> = {}): Promise<NewSession> {
  const session = createSession(change);
  await sessions.add(session);
  return session;
}

export const endSession = (
  { sessions }: Store,
  sessionId: string,
  change: Partial<EndedSession> = {},
): Promise<SessionRow> => sessions.end(createEndedSession(sessionId, change), createSessionHasher(sessionId));

/** A session that was played and has ended. */
export async function storeEndedSession(
  store: Store,
  change: Partial<NewSession> = {},
  ending: Partial<EndedSession> = {},
): Promise<SessionRow> {
  const { sessionId } = await addSession(store, change);
  return await endSession(store, sessionId, ending);
}

/** An ended session whose score counts. */
export async function storeVerifiedSession(...args: Parameters<typeof storeEndedSession>): Promise<SessionRow> {
  const row = await storeEndedSession(...args);
  await args[0].sessions.setVerification(row.sessionId, "verified");
  return row;
}

/** Author and time of an operator's action. */
export const createStamp = (atMs = BASE_TIME_MS) => ({ auditId: createId(), who: "tester", atMs });

/** A claim of one idempotency key. */
export const createClaim = (change: Partial<IdempotencyRow> = {}): IdempotencyRow => ({
  caller: ALICE,
  route: "POST /x",
  key: "k",
  bodyHash: "h",
  status: null,
  body: null,
  createdAtMs: BASE_TIME_MS,
  ...change,
});

/** Its id ascends with the time of arrival, as in the service. */
export const createTelemetryRow = (): TelemetryRow => ({
  eventId: uuidV7(BASE_TIME_MS + ++counter, new Uint8Array(10)),
  event: "page_view",
  wallet: ALICE,
  slug: "shellrunners",
  sessionId: null,
  metadata: '{"path":"/"}',
  occurredAtMs: BASE_TIME_MS,
  receivedAtMs: BASE_TIME_MS + 1,
});

export const createBlockHash = (block: number, fork = ""): Hex => hashText(`block ${block}${fork}`);

export function createChainEvent(name: ChainEventRow["name"], change: Partial<ChainEventRow> = {}): ChainEventRow {
  const block = change.block ?? 10;
  return {
    block,
    blockHash: createBlockHash(block),
    blockTime: BASE_TIME_MS / 1000 + block,
    txHash: hashText(createId()),
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
    uri: null,
    ...change,
  };
}

export const createSnapshotEvent = (row: SessionRow, change: Partial<ChainEventRow> = {}): ChainEventRow =>
  createChainEvent("ScoreSnapshot", {
    wallet: row.wallet ?? ALICE,
    slug: row.slug,
    gameSessionHash: row.gameSessionHash,
    sequence: row.sequence,
    score: BigInt(row.score),
    scorebank: BigInt(row.score),
    ...change,
  });

export async function appendEvents(store: Store, ...events: readonly ChainEventRow[]): Promise<void> {
  const blocks = new Map(events.map((event) => [event.block, { number: event.block, hash: event.blockHash }]));
  await store.chain.append([...blocks.values()], events);
}

export const createChannelToken = (change: Partial<ChannelTokenRow> = {}): ChannelTokenRow => ({
  tokenHash: createId(),
  kind: "play",
  sessionId: "a session",
  wallet: ALICE,
  familyId: null,
  ip: null,
  expiresAtMs: BASE_TIME_MS + 60_000,
  usedAtMs: null,
  revokedAtMs: null,
  ...change,
});

export const createPayoutRow = (change: Partial<PayoutRow> = {}): PayoutRow => ({
  payoutId: createId(),
  wallet: ALICE,
  slug: null,
  status: "pending",
  transactionId: null,
  txHash: null,
  score: 5_000n,
  amount: 5_000n * 10n ** 18n,
  remaining: 0n,
  createdAtMs: BASE_TIME_MS,
  settledAtMs: null,
  reopenedAtMs: null,
  ...change,
});

export const createTransactionRow = (nonce: number, change: Partial<TransactionRow> = {}): TransactionRow => ({
  id: createId(),
  kind: "payout",
  key: createId(),
  from: ALICE,
  nonce,
  to: BOB,
  data: "0x1234",
  value: 0n,
  raw: "0x02f8",
  txHash: hashText(createId()),
  maxFeePerGas: 30_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
  status: "queued",
  block: null,
  createdAtMs: BASE_TIME_MS,
  sentAtMs: null,
  settledAtMs: null,
  lastError: null,
  cancelledRaw: null,
  ...change,
});

let lastTokenId = 0n;

/** A listing of a new token, unless `change` has one. */
export function createListing(change: Partial<NewListing> = {}): NewListing {
  const seller = change.seller ?? ALICE;
  lastTokenId += 1n;
  const tokenId = change.tokenId ?? lastTokenId;
  const contract: Hex = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
  const order = createOrder({
    seller,
    contract,
    tokenId,
    price: 100n,
    currency: NATIVE_COIN,
    royalty: null,
    counter: 0n,
    salt: 7n,
    startTime: BASE_TIME_MS / 1000,
    endTime: BASE_TIME_MS / 1000 + 60,
  });
  return {
    listingId: hashText(createId()),
    seller,
    collection: "identity",
    contract,
    tokenId,
    price: 100n,
    currency: NATIVE_COIN,
    order,
    createdAtMs: BASE_TIME_MS,
    endsAtMs: BASE_TIME_MS + 86_400_000,
    ...change,
  };
}
