/** The errors of the client. */

import type { Hex } from "viem";
import { ERRORS, type ErrorCode } from "../domain/errors.ts";
import type { PlayFrame } from "../games/game.ts";

/** The service's codes, and two for the network: no response, and a response that is not the service's. */
export type ApiErrorCode = ErrorCode | "NETWORK_FAULT" | "BAD_ANSWER";

/**
 * The service rejected the request, or could not be reached. `fields` are specific to the code (`reasons`, `sessionId`,
 * `issues`, …).
 */
export class ArcadeApiError extends Error {
  readonly code: ApiErrorCode;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** True: the same request may succeed later. */
  readonly retryable: boolean;
  readonly fields: { readonly [field: string]: unknown };
  /** The request's id in the service's log; null without a response. */
  readonly requestId: string | null;
  /** The `Retry-After` of the response; null if absent. */
  readonly retryAfterSeconds: number | null;

  constructor(options: {
    readonly code: ApiErrorCode;
    readonly message: string;
    readonly status: number;
    readonly retryable: boolean;
    readonly fields?: { readonly [field: string]: unknown };
    readonly requestId?: string | null;
    readonly retryAfterSeconds?: number | null;
    readonly cause?: unknown;
  }) {
    super(options.message, { cause: options.cause });
    this.name = "ArcadeApiError";
    this.code = options.code;
    this.status = options.status;
    this.retryable = options.retryable;
    this.fields = options.fields ?? {};
    this.requestId = options.requestId ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/**
 * REVERTED: the contract reverted. TX_TIMEOUT: no block included the transaction in time. WRONG_CHAIN: the wallet, or
 * its reader, is on another chain. CALL_REFUSED: the prepared call or message differs from the expected one; nothing
 * was sent or signed. REJECTED: the wallet, or its user, rejected the request; nothing was sent or signed.
 * CONTRACTS_UNKNOWN: the client does not know the contracts of the chain. RPC_FAULT: the node failed.
 */
export type ChainErrorCode =
  | "REVERTED"
  | "TX_TIMEOUT"
  | "WRONG_CHAIN"
  | "CALL_REFUSED"
  | "REJECTED"
  | "CONTRACTS_UNKNOWN"
  | "RPC_FAULT";

/** The field of a prepared call, or of a message to sign, that differs from the expected one. */
export interface CallMismatch {
  /** Of a call: `chainId`, `to`, `functionName`, `value`, `args[N]` or `data`; of a message: `ballot.message`. */
  readonly field: string;
  readonly expected: string;
  readonly received: string;
}

/** The chain or the wallet rejected a transaction. */
export class ArcadeChainError extends Error {
  readonly code: ChainErrorCode;
  readonly txHash: Hex | null;
  /** The field that differs, for CALL_REFUSED; otherwise null. */
  readonly mismatch: CallMismatch | null;
  /** The contract's error, such as `DeadlineExpired`; null if unknown. */
  readonly revertName: string | null;

  constructor(
    code: ChainErrorCode,
    message: string,
    options: {
      readonly txHash?: Hex;
      readonly mismatch?: CallMismatch;
      readonly revertName?: string | null;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ArcadeChainError";
    this.code = code;
    this.txHash = options.txHash ?? null;
    this.mismatch = options.mismatch ?? null;
    this.revertName = options.revertName ?? null;
  }
}

/**
 * A play or spectate channel is closed for good. `closeCode` is from the table of channels; 1006 if the network broke.
 */
export class ArcadeChannelError extends Error {
  readonly closeCode: number;
  readonly reason: string;

  constructor(closeCode: number, reason: string, message: string) {
    super(message);
    this.name = "ArcadeChannelError";
    this.closeCode = closeCode;
    this.reason = reason;
  }
}

/** The player's bot threw or returned an invalid move; its session was ended. `cause` is what it threw. */
export class ArcadeBotError extends Error {
  readonly code = "BOT_FAULT";
  readonly slug: string;
  readonly tick: number;
  /** The frame: a bot without state fails on it again. */
  readonly frame: PlayFrame;
  /** The messages that the game knows, as JSON. */
  readonly allowed: readonly string[];

  constructor(
    message: string,
    options: {
      readonly slug: string;
      readonly frame: PlayFrame;
      readonly allowed: readonly string[];
      readonly cause: unknown;
    },
  ) {
    super(message, { cause: options.cause });
    this.name = "ArcadeBotError";
    this.slug = options.slug;
    this.tick = options.frame.tick;
    this.frame = options.frame;
    this.allowed = options.allowed;
  }
}

/** Whether a thrown value is an `ArcadeApiError` with one of these codes (any code if none is given). */
export const isApiError = (error: unknown, ...codes: readonly ApiErrorCode[]): error is ArcadeApiError =>
  error instanceof ArcadeApiError && (codes.length === 0 || codes.includes(error.code));

/** The text for a viewer when every seat of a session is taken. */
export const formatSpectatorsFull = (error: ArcadeApiError): string =>
  `${error.fields.spectatorsCurrent}/${error.fields.spectatorsMax} spectators limit reached for this livestream`;

const isRecord = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const ENVELOPE = new Set(["ok", "code", "error", "retryable", "requestId", "type", "title", "status", "detail"]);

/** Statuses of proxies and CDNs (520 to 530) for a temporary refusal, or an unreachable service. */
const isPassing = (status: number): boolean =>
  status === 408 || status === 429 || (status >= 502 && status <= 504) || (status >= 520 && status <= 530);

/**
 * The error for a response that is not a success. `body` is its JSON, or undefined; `received` describes a response
 * that may come from another program.
 */
export function toApiError(
  status: number,
  body: unknown,
  retryAfterSeconds: number | null,
  received = `HTTP ${status}`,
): ArcadeApiError {
  if (!isRecord(body) || typeof body.code !== "string" || !Object.hasOwn(ERRORS, body.code)) {
    return new ArcadeApiError({
      code: "BAD_ANSWER",
      message: `Expected an answer of the service, received ${received}; is this its address, with no proxy in between?`,
      status,
      retryable: isPassing(status),
      retryAfterSeconds,
      ...(isRecord(body) ? { fields: body } : {}),
    });
  }
  const code = body.code as ErrorCode;
  return new ArcadeApiError({
    code,
    message: typeof body.error === "string" ? body.error : ERRORS[code].title,
    status,
    retryable: typeof body.retryable === "boolean" ? body.retryable : ERRORS[code].retryable,
    fields: Object.fromEntries(Object.entries(body).filter(([field]) => !ENVELOPE.has(field))),
    requestId: typeof body.requestId === "string" ? body.requestId : null,
    retryAfterSeconds,
  });
}

/** The service contradicts its earlier statement about the session's seed. */
export class ArcadeEvidenceError extends Error {
  /** `seedCommitment` or `entropy`. */
  readonly field: string;
  readonly expected: string;
  readonly received: string;

  constructor(field: string, expected: string, received: string) {
    super(`Expected the earlier ${field} ${expected}, received ${received}: the service has changed the seed.`);
    this.name = "ArcadeEvidenceError";
    this.field = field;
    this.expected = expected;
    this.received = received;
  }
}
