/**
 * The one table of routes: the client's methods and their types follow from it. An input is flat; fields named in
 * the path go there, the rest is the body (POST) or the query (GET).
 */
import { document, get, picture, post } from "./route.ts";
import { COMMUNITY_ROUTES } from "./routes-community.ts";
import type * as T from "./types.ts";
import type { Call, Credentials, Hex, Replay } from "./types.ts";

type Nothing = Record<never, never>;
type Slug = { readonly slug: string };
type OfSession = Slug & { readonly sessionId: string };
type ProfileFields = Partial<Omit<T.AgentProfile, "walletAddress" | "agentId" | "updatedAt">>;
type OfRewards = { readonly walletAddress?: T.Address; readonly gameSlug?: string };

export interface RegisterInput {
  readonly walletAddress: T.Address;
  readonly agentName: string;
  readonly agentType?: string;
  readonly description?: string;
  readonly image?: string;
  readonly services?: readonly { readonly name: string; readonly endpoint: string }[];
  readonly hardwareResources?: string;
  readonly chainId?: number;
  readonly verifyingContract?: T.Address;
  readonly nonce?: string;
  readonly deadline?: string;
}

type Registration = T.SignedCall & {
  readonly tokenURI: string;
  readonly metadata: { readonly [field: string]: unknown };
  readonly nonce: string;
};

export const ROUTES = {
  agent: { agentInstructions: get<Nothing, T.Instructions>("/api/agent-instructions") },
  identity: {
    register: post<RegisterInput, Registration>("/api/identity/register", "none"),
    agentInstructions: get<Nothing, T.Instructions>("/api/identity/agent-instructions"),
    ownershipStatus: post<
      { readonly walletAddress: T.Address; readonly agentId?: string },
      {
        readonly owned: boolean;
        readonly agentId: string | null;
        readonly owner: T.Address | null;
        readonly tokenURI: string | null;
        readonly registry: string;
        readonly asOf: T.AsOf;
      }
    >("/api/agents/identity/ownership-status", "none"),
    profileGet: post<
      { readonly walletAddress: T.Address } | { readonly agentId: string },
      { readonly profile: T.AgentProfile | null }
    >("/api/agents/profile/get", "none"),
    profileUpsert: post<ProfileFields & { readonly walletAddress?: T.Address }, { readonly profile: T.AgentProfile }>(
      "/api/agents/profile/upsert",
      "wallet",
      "keyed",
    ),
    profileMetadata: post<
      ProfileFields,
      {
        readonly metadata: { readonly [field: string]: unknown };
        readonly tokenURI: string;
        readonly metadataDigest: Hex;
        readonly call: Call;
      }
    >("/api/identity/profile-metadata", "wallet"),
    metadata: document<{ readonly digest: string }, { readonly [field: string]: unknown }>(
      "/api/metadata/identity/{digest}.json",
    ),
  },
  metadata: {
    /** `holder`: a wallet's address or an identity's id; answers SVG. */
    identityImage: picture<{ readonly holder: string }>("/api/metadata/identity/{holder}.svg"),
    gameNft: document<Slug & { readonly tokenId: string }, { readonly [field: string]: unknown }>(
      "/api/metadata/{slug}/{tokenId}.json",
    ),
    gameNftImage: picture<Slug & { readonly tokenId: string }>("/api/metadata/{slug}/{tokenId}.svg"),
    agentRegistration: document<Nothing, { readonly [field: string]: unknown }>("/.well-known/agent-registration.json"),
  },
  games: {
    catalog: get<Nothing, T.Page<T.GameRecord> & { readonly games: readonly T.GameRecord[] }>("/api/games/catalog"),
    get: get<Slug, { readonly game: T.GameRecord }>("/api/games/{slug}"),
    agentInstructions: get<Slug, T.Instructions>("/api/games/{slug}/agent-instructions"),
  },
  auth: {
    nonce: post<
      Slug & { readonly walletAddress: T.Address },
      {
        readonly nonce: string;
        readonly message: string;
        readonly domain: string;
        readonly uri: string;
        readonly chainId: number;
        readonly issuedAt: string;
        readonly expiresAt: string;
      }
    >("/api/games/{slug}/auth/nonce", "none"),
    // A nonce is burnt by its first use, whatever comes out.
    verify: post<Slug & { readonly message: string; readonly signature: Hex }, Credentials>(
      "/api/games/{slug}/auth/verify",
      "none",
      "once",
    ),
    // The server answers the same successor again for 10 s, so a lost answer may be asked for once more.
    refresh: post<Slug & { readonly refreshToken: string }, Credentials>("/api/games/{slug}/auth/refresh", "none"),
    session: get<
      Slug,
      {
        readonly authenticated: true;
        readonly walletAddress: T.Address;
        readonly agentId: string | null;
        readonly slug: string;
        readonly accessExpiresAt: string;
      }
    >("/api/games/{slug}/auth/session", "wallet"),
  },
  sessions: {
    start: post<Slug & { readonly source: T.SessionSource; readonly forfeitPending?: boolean }, T.StartedSession>(
      "/api/games/{slug}/sessions/start",
      "optional",
      "keyed",
    ),
    heartbeat: post<OfSession, { readonly phase: T.Phase; readonly expiresInSeconds: number }>(
      "/api/games/{slug}/sessions/{sessionId}/heartbeat",
      "player",
    ),
    end: post<OfSession, { readonly session: T.SessionRecord }>("/api/games/{slug}/sessions/{sessionId}/end", "player"),
    live: get<Slug & T.PageQuery, T.Page<T.SessionRecord> & { readonly sessions: readonly T.SessionRecord[] }>(
      "/api/games/{slug}/sessions/live",
    ),
    my: get<
      Slug & T.PageQuery & { readonly status?: "active" | "ended"; readonly source?: T.SessionSource },
      T.Page<T.SessionRecord> & { readonly sessions: readonly T.SessionRecord[] }
    >("/api/games/{slug}/sessions/my", "wallet"),
    highScore: get<
      Slug,
      {
        readonly highScore: { readonly score: number; readonly sessionId: string; readonly at: string } | null;
        readonly sessionId: string | null;
      }
    >("/api/games/{slug}/sessions/high-score", "wallet"),
    get: get<OfSession, { readonly session: T.SessionRecord }>("/api/games/{slug}/sessions/{sessionId}"),
    replay: document<OfSession, Replay>("/api/games/{slug}/sessions/{sessionId}/replay"),
    playToken: post<OfSession, T.ChannelToken>("/api/games/{slug}/sessions/{sessionId}/play-token", "player"),
    spectateToken: post<OfSession, T.ChannelToken>("/api/games/{slug}/sessions/{sessionId}/spectate-token", "wallet"),
    spectateTokenPublic: post<OfSession, T.ChannelToken>(
      "/api/games/{slug}/sessions/{sessionId}/spectate-token-public",
      "none",
    ),
  },
  nft: {
    prepare: post<Slug & { readonly sessionId?: string }, T.NftPrepared>("/api/games/{slug}/nft/prepare", "wallet"),
    record: post<Slug & { readonly txHash: Hex }, T.NftRecorded>("/api/games/{slug}/nft/record", "wallet"),
  },
  rewards: {
    startSession: post<
      { readonly gameSlug?: string; readonly sessionId?: string; readonly forfeitPending?: boolean },
      | T.StartedSession
      | {
          readonly sessionId: string;
          readonly eligible: boolean;
          readonly reasons: readonly string[];
          readonly snapshot: T.SnapshotView;
        }
    >("/api/rewards/start-session", "wallet", "keyed"),
    snapshot: post<
      { readonly sessionId?: string; readonly gameSlug?: string; readonly txHash?: Hex },
      T.SnapshotAnswer
    >("/api/rewards/snapshot", "wallet"),
    /** The same route, for up to 16 sessions at once. */
    snapshotAll: post<{ readonly all: true; readonly gameSlug?: string }, T.SnapshotBatchAnswer>(
      "/api/rewards/snapshot",
      "wallet",
    ),
    scorebank: post<OfRewards, T.Scorebank>("/api/rewards/scorebank", "wallet"),
    readiness: post<OfRewards, T.Readiness>("/api/rewards/readiness", "wallet"),
    payout: post<{ readonly gameSlug?: string }, T.PayoutView>("/api/rewards/payout", "wallet", "keyed"),
    /** The same route: the unsigned call, for a wallet that pays its own gas. */
    payoutCall: post<{ readonly mode: "self"; readonly gameSlug?: string }, T.PayoutCall>(
      "/api/rewards/payout",
      "wallet",
    ),
    payoutStatus: get<{ readonly payoutId: string }, T.PayoutView>("/api/rewards/payout/{payoutId}", "wallet"),
    payoutHistory: post<
      T.PageQuery & { readonly includeAllGames?: boolean; readonly gameSlug?: string },
      T.Page<T.PayoutEntry> & { readonly entries: readonly T.PayoutEntry[] }
    >("/api/rewards/payout-history", "wallet"),
    agentInstructions: get<Nothing, T.Instructions>("/api/rewards/agent-instructions"),
  },
  ...COMMUNITY_ROUTES,
  operations: {
    healthz: document<Nothing, { readonly [field: string]: unknown }>("/healthz"),
    readyz: document<
      Nothing,
      {
        readonly ready: boolean;
        readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly sentence: string }[];
      }
    >("/readyz"),
    status: document<Nothing, { readonly [field: string]: unknown }>("/status"),
  },
  /** On chain 31337 alone. */
  dev: {
    faucet: post<{ readonly address: T.Address }, { readonly txHash: Hex; readonly amount: string }>(
      "/api/dev/faucet",
      "none",
      "once",
    ),
    explainTypedData: post<{ readonly [field: string]: unknown }, { readonly [field: string]: unknown }>(
      "/api/dev/typed-data/explain",
      "none",
    ),
  },
} as const;

export type RouteTable = typeof ROUTES;
