/** Ports of the system: clock, log, rate limiter, metrics, signers and worker. */
import type { Hex } from "viem";
import type { LimitPolicy } from "../../domain/limits/limits.ts";
import type { Replay } from "../../domain/replay/replay.ts";
import type { TypedData } from "../../domain/typed-data/messages.ts";

export interface Clock {
  /** Milliseconds since 1970 by the wall clock, which may jump. */
  nowMs(): number;
  /** Milliseconds of a clock that never goes back. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs` of monotonic time; the returned function cancels. */
  after(delayMs: number, run: () => void): () => void;
}

export interface RateLimitResult {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until one more request is allowed (when rejected), else until the bucket is full. */
  readonly resetSeconds: number;
}

/** A token bucket for each policy and key. While limits are off every bucket is full. */
export interface RateLimiter {
  readonly enabled: boolean;
  /** The number of kept buckets: those that are not full, and some that have become full again. */
  readonly bucketCount: number;
  /** Takes `count` tokens (default 1) if that many are available. */
  consume(policy: LimitPolicy, key: string, count?: number): RateLimitResult;
  /**
   * Takes one token. If the policy has a bucket that all backends of a fleet share, takes it from that. Throws
   * `STORAGE_BUSY` while that bucket does not answer.
   */
  take(policy: LimitPolicy, key: string): RateLimitResult | Promise<RateLimitResult>;
  /** Takes tokens even if too few are left; the debt is at most the bucket's limit. */
  charge(policy: LimitPolicy, key: string, count?: number): void;
  /** Returns unused tokens. */
  refund(policy: LimitPolicy, key: string, count?: number): void;
  /** Whether one more token could be taken. */
  hasToken(policy: LimitPolicy, key: string): boolean;
}

/** Structured log in the form of pino: fields, then a message in lower case without a final period. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One handled request. */
export interface RequestMetric {
  /** Name of the route, `none` if no route was found. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  /** Error code, null for a success. */
  readonly code: string | null;
  readonly seconds: number;
}

/** Whether payouts can be made and are made. */
export interface PayoutFacts {
  /** The operator's balance for gas; null while the chain does not answer. */
  readonly operatorBalanceWei: bigint | null;
  /** The rewards contract's balance, in base units of the token; null while the chain does not answer. */
  readonly float: bigint | null;
  readonly tokenDecimals: number | null;
  readonly openPayouts: number;
  /** Since the oldest open payout was asked for; 0 if none is open. */
  readonly oldestOpenSeconds: number;
  /** Outcomes of the operator's transactions since the start. */
  readonly transactions: {
    readonly included: number;
    readonly failed: number;
    readonly refused: number;
    readonly bumped: number;
    readonly reorganized: number;
  };
}

/** The known state of one of several chain nodes. */
export interface ChainNodeStatus {
  /** Its place in the list, from 1. */
  readonly place: number;
  /** Without the path, the query and the user name, which may be keys. */
  readonly host: string;
  /** Its latest block; null if it is not known. */
  readonly head: number | null;
  /** Why it is not used; null if it is. */
  readonly problem: string | null;
}

/** Values that are read when the metrics are collected. */
export interface MetricSources {
  readonly games: () => readonly { readonly slug: string; readonly sessions: number; readonly spectators: number }[];
  readonly live: () => {
    readonly ticks: number;
    readonly droppedTicks: number;
    readonly lateness: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };
    readonly storeFailures: number;
    readonly withheld: number;
  };
  readonly chain: () => {
    readonly head: number | null;
    readonly followed: number | null;
    readonly lagBlocks: number | null;
    readonly healthy: boolean;
    readonly outageMs: number;
  };
  readonly chainNodes: () => readonly ChainNodeStatus[];
  readonly audit: () => { readonly differences: number };
  readonly payouts: () => Promise<PayoutFacts>;
  readonly telemetry: () => { readonly dropped: number };
  readonly checks: () => Promise<readonly { readonly name: string; readonly ok: boolean }[]>;
}

export interface Metrics {
  countRequest(request: RequestMetric): void;
  countSessionEnd(session: { readonly slug: string; readonly source: string; readonly endReason: string }): void;
  countSignature(signature: { readonly role: string; readonly ok: boolean }): void;
  /** All metrics in the text format of Prometheus 0.0.4. */
  text(): Promise<string>;
}

/** Each role has its own key. */
export type SignerRole = "identity" | "score" | `nft:${string}`;

export interface Signer {
  readonly address: `0x${string}`;
  /** 65-byte low-s signature (r, s, v), deterministic by RFC 6979. Throws `SIGNER_UNAVAILABLE`. */
  sign(typedData: TypedData): Promise<{ readonly signature: `0x${string}`; readonly digest: `0x${string}` }>;
}

export type Signers = (role: SignerRole) => Signer;

/** The result of running a replay again. `differences` is empty when everything agrees. */
export interface ReplayVerification {
  readonly ok: boolean;
  readonly finalScore: number;
  readonly ticks: number;
  readonly replayDigest: Hex;
  readonly differences: readonly { readonly field: string; readonly expected: string; readonly received: string }[];
}

/** Heavy work that must not run on the thread of the ticks. */
/** A picture to draw: a moment of a run, or of a game that its own bot plays where `replay` is null. */
export interface PictureTask {
  readonly slug: string;
  readonly rulesVersion: number;
  readonly replay: Pick<Replay, "seed" | "tickHz" | "inputs" | "ticks"> | null;
  /** The tick to draw; null: the drawing chooses one late in the run. */
  readonly tick: number | null;
  /** Lines beside the picture, the first one large; null for the game's picture alone, in its own proportions. */
  readonly lines: readonly string[] | null;
}

export interface PictureDrawer {
  /** A PNG. Throws `PICTURE_UNAVAILABLE`. */
  draw(task: PictureTask): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface Worker {
  /** EIP-191 recovery of a text message. Null when the signature is malformed or not low-s. */
  recoverMessage(message: string, signature: Hex): Promise<`0x${string}` | null>;
  /** Recovery from an EIP-712 or other 32-byte digest; the same rules. */
  recoverDigest(digest: Hex, signature: Hex): Promise<`0x${string}` | null>;
  /** Recovery from one of our own EIP-712 messages; the same rules. Throws `VALIDATION_FAILED` naming a wrong field. */
  recoverTypedData(typedData: TypedData, signature: Hex): Promise<`0x${string}` | null>;
  verifyReplay(replay: Replay): Promise<ReplayVerification>;
  close(): Promise<void>;
}
