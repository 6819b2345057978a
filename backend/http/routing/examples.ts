/** Values shared by the routes' examples: recognizable, the same everywhere, and never a real secret. */
import type { Hex } from "viem";
import { LOCAL_CHAIN_ID } from "../../../domain/chain-ids.ts";
import { REGISTRATION_FILES_PATH } from "../../../domain/identity.ts";
import { createOrder, NATIVE_COIN } from "../../../domain/market.ts";
import { toGameId } from "../../../domain/replay/replay.ts";
import { SESSION_TIMES } from "../../../domain/session.ts";
import { REWARD_TOKEN } from "../../../domain/token.ts";
import { type CallName, createCall } from "../../../domain/typed-data/calls.ts";
import { createTypedData, type PrimaryType } from "../../../domain/typed-data/messages.ts";
import { findGame } from "../../../games/index.ts";
import type { signedCall } from "../schemas/calls.ts";
import type { gameView } from "../schemas/games.ts";
import type { sessionView } from "../schemas/sessions.ts";
import type { Example } from "../schemas/types.ts";

const at = "2030-01-01T00:00:00.000Z";
const hourLater = "2030-01-01T01:00:00.000Z";
const weekLater = "2030-01-08T00:00:00.000Z";
const slug = "shellrunners";
const wallet = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const sessionId = "0190f1d5-7c4e-7abc-8def-0123456789ab";
const digest: Hex = "0xb9c601a18bb6a8b50ae19e5e7e9841af2d1dfbd03943c8c205949854996470f1";
const signature: Hex =
  "0x41954dc6d8742f86c5f7fae98d26f502fcb14050d6799ba0ad0302d2f66776cc30333edbb254d1a8ac1a3bad88b786041e638c84e54468e72852e3a44b2a09111b";
const baseUrl = "http://127.0.0.1:4100";
const wsUrl = "ws://127.0.0.1:4100";
const deadline = "1893456300";
const score = 420;

/** The block of a prepared on-chain call. `args`: the call's arguments before deadline and signature. */
function createSignedCall(
  primaryType: PrimaryType,
  facts: { readonly [field: string]: unknown },
  functionName: CallName,
  args: readonly unknown[],
): Example<typeof signedCall> {
  const context = { chainId: LOCAL_CHAIN_ID, verifyingContract: contract, slug } as const;
  return {
    signature,
    digest,
    deadline,
    verifyingContract: contract,
    typedData: createTypedData(primaryType, context, { ...facts, deadline }),
    call: createCall(LOCAL_CHAIN_ID, contract, functionName, [...args, deadline, signature]),
  };
}

const session: Example<typeof sessionView> = {
  sessionId,
  slug,
  source: "agent_api",
  walletAddress: wallet,
  agentId: "1",
  agentName: "Pinch",
  phase: "ready",
  startedAt: at,
  endedAt: null,
  endReason: null,
  score: 0,
  tick: 0,
  joinable: true,
  spectators: { current: 0, max: 50 },
  seedCommitment: digest,
  replay: null,
  snapshot: { state: "none", gameSessionHash: null, txHash: null },
};

const { title, description, tickHz, inputs, livesMax, hungerMax, nft, rulesVersion } = findGame(slug)!;
const game: Example<typeof gameView> = {
  slug,
  title,
  description,
  live: true,
  tickHz,
  actions: inputs.map(({ message }) => message),
  frameSchema: { world: {}, pawn: "…", entities: {}, fields: {} },
  livesMax,
  hungerMax,
  nft: { address: contract, name: nft.name, symbol: nft.symbol, tiers: [...nft.tiers] },
  ws: { play: `${wsUrl}/ws/${slug}/play`, spectate: `${wsUrl}/ws/${slug}/spectate` },
  limits: { spectatorsMax: 50, heartbeatSeconds: SESSION_TIMES.heartbeatSeconds },
  rulesVersion,
};

const playUrl = `${wsUrl}/ws/${slug}/play?sessionId=${sessionId}`;
const channelToken = { expiresAt: hourLater, spectatorsCurrent: 0, spectatorsMax: 50 };
const scored = { sessionId, gameSlug: slug, scoreDelta: score, gameSessionHash: digest };
const amount = `${score}${"0".repeat(REWARD_TOKEN.decimals)}`;
const cycle = { id: 1, state: "open", opensAt: at, closesAt: weekLater, openingBlock: 40 } as const;

/** In the domain's order, so that Seaport would accept the example. */
const order = createOrder({
  seller: wallet,
  contract,
  tokenId: 1n,
  price: 10n ** 18n,
  currency: NATIVE_COIN,
  royalty: null,
  counter: 0n,
  salt: 7n,
  startTime: 1893456000,
  endTime: 1894060800,
});

export const EXAMPLES = {
  at,
  hourLater,
  weekLater,
  slug,
  wallet,
  contract,
  sessionId,
  digest,
  signature,
  baseUrl,
  wsUrl,
  deadline,
  score,
  amount,
  chainId: LOCAL_CHAIN_ID,
  nonce: "4fzzAHG2cZ0J3wrkPMo5Rw",
  message: `127.0.0.1:4100 wants you to sign in with your Ethereum account:\n${wallet}\n\n…\nNonce: 4fzzAHG2cZ0J3wrkPMo5Rw\n…`,
  tokenUri: `${baseUrl}${REGISTRATION_FILES_PATH}${digest.slice(2)}.json`,
  documentUri: `${baseUrl}/api/metadata/identity/${digest.slice(2)}.json`,
  asOf: { block: 42, hash: digest, finality: "included" },
  token: { address: contract, ...REWARD_TOKEN },
  tokens: {
    accessToken: "aa_…",
    refreshToken: "ar_…",
    tokenType: "Bearer",
    accessExpiresAt: "2030-01-02T00:00:00.000Z",
    refreshExpiresAt: weekLater,
    walletAddress: wallet,
    agentId: "1",
  },
  session,
  endedSession: {
    ...session,
    phase: "ended",
    endedAt: hourLater,
    endReason: "lives_lost",
    score,
    tick: 900,
    joinable: false,
    replay: { available: true, digest },
    snapshot: { state: "required", gameSessionHash: digest, txHash: null },
  },
  startedSession: { session, sessionId, playToken: "ap_…", wsUrl: playUrl, heartbeatSeconds: 15 },
  playToken: { token: "ap_…", wsUrl: playUrl, ...channelToken },
  spectateToken: { token: "as_…", wsUrl: playUrl.replace("/play", "/spectate"), ...channelToken },
  game,
  scored,
  snapshotCall: createSignedCall(
    "Snapshot",
    { wallet, gameId: toGameId(slug), score: String(score), gameSessionHash: digest },
    "snapshotScoreSigned",
    [wallet, toGameId(slug), String(score), digest],
  ),
  snapshotBatchCall: createSignedCall(
    "SnapshotBatch",
    { wallet, items: [{ gameSessionHash: digest, gameId: toGameId(slug), score: String(score) }] },
    "snapshotScoresSigned",
    [wallet, [{ gameSessionHash: digest, gameId: toGameId(slug), score: String(score) }]],
  ),
  relay: { mode: "relayed", relayId: sessionId, status: "included", txHash: digest, block: 42, finality: "included" },
  payout: {
    payoutId: sessionId,
    status: "included",
    txHash: digest,
    finality: "included",
    amount,
    score,
    points: score,
    remainingPoints: 0,
  },
  profile: {
    walletAddress: wallet,
    agentId: "1",
    agentName: "Pinch",
    bio: "Runs along the beach.",
    links: ["https://example.org"],
    image: null,
    services: [{ name: "a2a", endpoint: "https://example.org/agent" }],
    updatedAt: at,
  },
  cycle,
  candidate: "demo-tidepool",
  voteCounts: { totalVotes: 1, humanVotes: 0, aiAgentVotes: 1 },
  order,
  orderTypedData: {
    domain: { name: "Seaport", version: "1.6", chainId: LOCAL_CHAIN_ID, verifyingContract: contract },
    types: {},
    primaryType: "OrderComponents",
    message: { ...order },
  },
  listing: {
    listingId: digest,
    collection: slug,
    contract,
    tokenId: "1",
    seller: wallet,
    price: "1000000000000000000",
    currency: NATIVE_COIN,
    visible: true,
    createdAt: at,
    endsAt: weekLater,
    order,
    signature,
    reasons: [],
  },
} as const;

/** What the envelope adds to every success. */
export const EXAMPLE_ENVELOPE = { ok: true } as const;
export const EXAMPLE_REQUEST_ID = "0190f1d5-example";

/** One page that holds one item, or none. */
export const createExamplePage = <Item>(...items: readonly Item[]) => ({
  items,
  page: 1,
  limit: 25,
  total: items.length,
});

/** The signed mint of an agent's identity. */
export const MINT_IDENTITY_CALL = createSignedCall(
  "MintIdentity",
  { to: wallet, metadataDigest: digest, nonce: "0" },
  "mintIdentityWithSignature",
  [wallet, digest],
);
/** What a wallet signs so that the operator may send that mint. */
export const CONSENT_TO_MINT = createTypedData(
  "ConsentToMint",
  { chainId: LOCAL_CHAIN_ID, verifyingContract: contract },
  { to: wallet, metadataDigest: digest, nonce: "0", deadline },
);
export const MINT_NFT_CALL = createSignedCall(
  "MintGameNft",
  { wallet, agentId: "1", score: String(score) },
  "mintSigned",
  [wallet, "1", String(score)],
);
