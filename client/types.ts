/** Shapes of what the service answers. Token amounts, ids and chain numbers are decimal strings, scores are integers. */
import type { Call } from "../backend/domain/calls.ts";
import type { Hex } from "../backend/domain/replay.ts";
import type { EndReason, Finality, Phase, SessionSource, SnapshotState } from "../backend/domain/session.ts";
import type { TypedData } from "../backend/domain/typed-data.ts";

export type { Call } from "../backend/domain/calls.ts";
export type { Hex, Replay } from "../backend/domain/replay.ts";
export type { EndReason, Finality, Phase, SessionSource, SnapshotState } from "../backend/domain/session.ts";
export type { TypedData } from "../backend/domain/typed-data.ts";

export type Address = `0x${string}`;

/** The block of the chain that an answer speaks of. */
export interface AsOf {
  readonly block: number;
  readonly hash: Hex;
  readonly finality: Finality;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
}

export interface PageQuery {
  /** From 1. */
  readonly page?: number;
  /** At most 100. */
  readonly limit?: number;
}

/** A prepared on-chain call: `call` is ready to send, the rest says what it stands for. */
export interface SignedCall {
  readonly signature: Hex;
  readonly digest: Hex;
  /** Unix seconds. */
  readonly deadline: string;
  readonly verifyingContract: Address;
  readonly typedData: TypedData;
  readonly call: Call;
}

export interface Credentials {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly tokenType: "Bearer";
  readonly accessExpiresAt: string;
  readonly refreshExpiresAt: string;
  readonly walletAddress: Address;
  readonly agentId: string | null;
}

export interface GameRecord {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly live: boolean;
  readonly tickHz: number;
  readonly actions: readonly { readonly t: string; readonly [field: string]: unknown }[];
  readonly frameSchema: { readonly [field: string]: unknown };
  readonly livesMax: number;
  readonly hungerMax: number;
  readonly nft: {
    readonly address: Address | null;
    readonly name: string;
    readonly symbol: string;
    readonly tiers: readonly { readonly tier: number; readonly name: string; readonly minScore: number }[];
  };
  readonly ws: { readonly play: string; readonly spectate: string };
  readonly limits: { readonly [name: string]: number };
  readonly rulesVersion: number;
}

export interface SnapshotView {
  readonly state: SnapshotState;
  readonly gameSessionHash: Hex | null;
  readonly txHash: Hex | null;
}

export interface SessionRecord {
  readonly sessionId: string;
  readonly slug: string;
  readonly source: SessionSource;
  readonly walletAddress: Address | null;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly phase: Phase;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly endReason: EndReason | null;
  readonly score: number;
  readonly tick: number;
  readonly joinable: boolean;
  readonly spectators: { readonly current: number; readonly max: number };
  readonly seedCommitment: Hex;
  readonly replay: { readonly available: boolean; readonly digest: Hex } | null;
  readonly snapshot: SnapshotView;
}

export interface StartedSession {
  readonly session: SessionRecord;
  readonly sessionId: string;
  readonly playToken: string;
  /** Of an anonymous practice session: authorizes its heartbeat, end and play-token calls. */
  readonly practiceToken?: string;
  readonly wsUrl: string;
  readonly heartbeatSeconds: number;
}

export interface ChannelToken {
  readonly token: string;
  readonly expiresAt: string;
  readonly wsUrl: string;
  readonly spectatorsCurrent: number;
  readonly spectatorsMax: number;
}

export interface AgentProfile {
  readonly walletAddress: Address;
  readonly agentId: string | null;
  readonly agentName: string;
  readonly bio: string;
  readonly links: readonly string[];
  readonly image: string | null;
  readonly services: readonly { readonly name: string; readonly endpoint: string }[];
  readonly updatedAt: string;
}

export interface Instructions {
  readonly service: string;
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** Told on a local chain alone. */
  readonly rpcUrl: string | null;
  readonly chainId: number;
  readonly contracts: {
    readonly identity: Address;
    readonly rewards: Address;
    readonly token: Address;
    readonly market?: Address | null;
    readonly nft: { readonly [slug: string]: Address };
  };
  readonly namespace: string;
  readonly games: readonly GameRecord[];
  readonly values: { readonly [name: string]: string };
  readonly steps: readonly {
    readonly step: number;
    readonly namespace: string;
    readonly title: string;
    readonly sentence: string;
    /** Values in braces are filled in from `values`, from what earlier steps keep and from what acts give. */
    readonly request: {
      readonly method: "GET" | "POST";
      readonly path: string;
      readonly auth: string | null;
      readonly query?: { readonly [name: string]: string };
      readonly body?: { readonly [field: string]: unknown };
    } | null;
    readonly response: { readonly status: number; readonly body: { readonly [field: string]: unknown } } | null;
    /** Name of a value → field of the answer. */
    readonly keeps: { readonly [name: string]: string };
    readonly acts: readonly {
      readonly act: "sign_message" | "sign_typed_data" | "send_call" | "play";
      readonly field?: string;
      readonly keeps?: string;
    }[];
  }[];
}

export type * from "./types-community.ts";
export type * from "./types-rewards.ts";
