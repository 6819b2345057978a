/** What can go wrong for a client, as values of three classes with a code. */
import { ERRORS, type ErrorCode } from "../backend/domain/errors.ts";
import type { Hex } from "./types.ts";

/** The service's codes, and two of the way there: no answer at all, and an answer that is not the service's. */
export type ApiErrorCode = ErrorCode | "NETWORK_FAULT" | "BAD_ANSWER";

/** The service said no, or could not be asked. `fields` are the code's own (`reasons`, `sessionId`, `issues`, …). */
export class ArcadeApiError extends Error {
  readonly code: ApiErrorCode;
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** True: the same request may succeed later without being changed. */
  readonly retryable: boolean;
  readonly fields: { readonly [field: string]: unknown };
  /** Names the request in the service's log; null where there was no answer. */
  readonly requestId: string | null;
  /** What the service asked to wait, null where it did not. */
  readonly retryAfterSeconds: number | null;

  constructor(facts: {
    readonly code: ApiErrorCode;
    readonly message: string;
    readonly status: number;
    readonly retryable: boolean;
    readonly fields?: { readonly [field: string]: unknown };
    readonly requestId?: string | null;
    readonly retryAfterSeconds?: number | null;
    readonly cause?: unknown;
  }) {
    super(facts.message, { cause: facts.cause });
    this.name = "ArcadeApiError";
    this.code = facts.code;
    this.status = facts.status;
    this.retryable = facts.retryable;
    this.fields = facts.fields ?? {};
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
  }
}

/**
 * REVERTED: the contract refused; TX_TIMEOUT: no block took the transaction in time; WRONG_CHAIN: the wallet is on
 * another chain; CALL_REFUSED: the prepared call is not what it says it is, so it was not sent; RPC_FAULT: the node.
 */
export type ChainErrorCode = "REVERTED" | "TX_TIMEOUT" | "WRONG_CHAIN" | "CALL_REFUSED" | "RPC_FAULT";

/** The chain or the wallet said no. */
export class ArcadeChainError extends Error {
  readonly code: ChainErrorCode;
  readonly txHash: Hex | null;

  constructor(
    code: ChainErrorCode,
    message: string,
    options: { readonly txHash?: Hex; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "ArcadeChainError";
    this.code = code;
    this.txHash = options.txHash ?? null;
  }
}

/** A play or spectate channel was lost for good. `closeCode` as in the channels' table; 1006 where the network broke. */
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

/** Whether something thrown is the service's (or the way's) error with one of these codes. */
export const isApiError = (thrown: unknown, ...codes: readonly ApiErrorCode[]): thrown is ArcadeApiError =>
  thrown instanceof ArcadeApiError && (codes.length === 0 || codes.includes(thrown.code));

/** The text a viewer shows when every seat of a session is taken. */
export const spectatorsFullText = (error: ArcadeApiError): string =>
  `${error.fields.spectatorsCurrent}/${error.fields.spectatorsMax} spectators limit reached for this livestream`;

const isRecord = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const ENVELOPE = new Set(["ok", "code", "error", "retryable", "requestId", "type", "title", "status", "detail"]);

/** An answer that is not a success, as an error. `body` is whatever JSON came, or undefined. */
export function errorOfAnswer(status: number, body: unknown, retryAfterSeconds: number | null): ArcadeApiError {
  if (!isRecord(body) || typeof body.code !== "string" || !Object.hasOwn(ERRORS, body.code)) {
    return new ArcadeApiError({
      code: "BAD_ANSWER",
      message: `Expected an answer of the service, received HTTP ${status}; is this its address, and nothing in between?`,
      status,
      // A proxy in front of a service that is starting answers so.
      retryable: status === 502 || status === 503 || status === 504,
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
