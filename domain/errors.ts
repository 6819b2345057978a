/**
 * The table of errors: code → HTTP status, whether a client may simply retry, and a title. `docs/errors.md`, the
 * OpenAPI document and the client's retry policy are derived from it. Sources: RFC 9457 (problem details), RFC 9110
 * (status codes).
 */

interface ErrorRow {
  readonly status: number;
  /** True: the same request may succeed later. */
  readonly retryable: boolean;
  readonly title: string;
}

const row = (status: number, title: string, retryable = false): ErrorRow => ({ status, retryable, title });

export const ERRORS = {
  BAD_REQUEST: row(400, "The request cannot be understood"),
  BAD_JSON: row(400, "The body is not JSON"),
  VALIDATION_FAILED: row(400, "A field does not have the expected form"),
  UNKNOWN_FIELD: row(400, "The body or query has a field that this route does not know"),
  UNSUPPORTED_CHAIN: row(400, "The service works on another chain"),
  CONTRACT_MISMATCH: row(400, "The verifying contract is not the expected one"),
  NONCE_MISMATCH: row(400, "The nonce is not the wallet's next one on chain"),
  DEADLINE_OUT_OF_RANGE: row(400, "The contract does not accept this deadline"),
  POLICY_INVALID: row(400, "The text is not a policy"),

  AUTH_REQUIRED: row(401, "This route needs an access token"),
  TOKEN_INVALID: row(401, "The token is unknown or revoked"),
  TOKEN_EXPIRED: row(401, "The token has expired"),
  NONCE_INVALID: row(401, "The nonce was not issued for this sign-in"),
  NONCE_EXPIRED: row(401, "The nonce has expired"),
  NONCE_USED: row(401, "The nonce was used before"),
  SIGNATURE_INVALID: row(401, "The signature does not belong to the wallet"),
  MESSAGE_MISMATCH: row(401, "The signed message differs from the expected one"),
  MESSAGE_EXPIRED: row(401, "The signed message is outside its time"),
  REFRESH_REUSED: row(401, "The refresh token was used before; its whole family is revoked"),

  FORBIDDEN: row(403, "The token belongs to another wallet"),
  IDENTITY_REQUIRED: row(403, "The wallet holds no agent identity"),
  AGENT_NOT_HELD: row(403, "The wallet neither owns the agent nor acts for it"),
  SOURCE_NOT_ELIGIBLE: row(403, "Practice sessions do not count for rewards"),
  VOTE_NOT_ELIGIBLE: row(403, "The wallet may not cast this vote"),
  ORIGIN_DENIED: row(403, "The origin is not allowed"),

  NOT_FOUND: row(404, "There is nothing at this address"),
  GAME_NOT_FOUND: row(404, "There is no such game"),
  SESSION_NOT_FOUND: row(404, "There is no such session"),
  LEAGUE_OFF: row(404, "The service has no league"),
  ROUND_NOT_FOUND: row(404, "There is no such round of the league"),
  TX_NOT_FOUND: row(404, "The transaction is not on chain yet", true),
  METHOD_NOT_ALLOWED: row(405, "This route does not answer that method"),

  SPECTATORS_FULL: row(409, "Every spectator seat of the session is taken"),
  SESSION_ACTIVE: row(409, "The wallet has an active session of this game"),
  SESSION_ENDED: row(409, "The session has ended"),
  SESSION_NOT_LOCKSTEP: row(409, "The session does not wait for its player"),
  SESSION_NOT_ENDED: row(409, "The session has not ended yet"),
  SNAPSHOT_REQUIRED: row(409, "An ended session's score waits for its snapshot"),
  NFT_MINT_REQUIRED: row(409, "A snapshotted score reaches an NFT tier not yet held"),
  SCORE_ON_CHAIN: row(409, "The score is on chain already"),
  NOTHING_TO_SNAPSHOT: row(409, "No session has a score to snapshot"),
  REPLAY_MISMATCH: row(409, "The replay does not give the session's score"),
  PAYOUT_NOT_READY: row(409, "The wallet cannot be paid now"),
  ALREADY_REGISTERED: row(409, "The wallet holds an agent identity"),
  ALREADY_VOTED: row(409, "The wallet has voted for this game"),
  VOTING_CLOSED: row(409, "No voting cycle is open for this game"),
  SEASON_CLOSED: row(409, "The season takes no policy or decision now"),
  DECISION_CONFLICT: row(409, "The course expects another decision, or is over"),
  TX_FAILED: row(409, "The transaction was reverted"),
  TX_MISMATCH: row(409, "The transaction does something else"),
  LISTING_INVALID: row(409, "The listing cannot be made or published"),
  IDEMPOTENCY_CONFLICT: row(409, "The idempotency key was used with another body"),
  IDEMPOTENCY_IN_PROGRESS: row(409, "The request with this idempotency key is still running", true),

  BODY_TOO_LARGE: row(413, "The body is too large"),
  UNSUPPORTED_MEDIA_TYPE: row(415, "The body is not application/json"),
  MISDIRECTED_REQUEST: row(421, "A server with another role answers this"),
  SPONSORSHIP_EXHAUSTED: row(429, "The service pays no more gas for this today"),
  RATE_LIMITED: row(429, "Too many requests", true),

  INTERNAL: row(500, "The service made a mistake", true),
  CHAIN_UNAVAILABLE: row(503, "The chain does not answer", true),
  SIGNER_UNAVAILABLE: row(503, "The signer does not answer", true),
  STORAGE_BUSY: row(503, "The database is busy", true),
  STORAGE_FULL: row(503, "The database cannot write", true),
  SESSION_RECOVERING: row(503, "The session is being recovered after a restart", true),
  PICTURE_UNAVAILABLE: row(503, "The picture cannot be drawn now", true),
  SERVER_FULL: row(503, "Every place for a game is taken", true),
  SHUTTING_DOWN: row(503, "The service is stopping", true),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** Extra fields of an error, at the top level of the response, never under `details`. */
export type ErrorFields = { readonly [field: string]: unknown };

/**
 * The only class of errors that callers see. `message` is a whole sentence: what was expected, what was received, and
 * the next step. Anything else that is thrown is a bug, answered as `INTERNAL` without its text.
 */
export class ArcadeError extends Error {
  readonly code: ErrorCode;
  readonly fields: ErrorFields;

  constructor(code: ErrorCode, message: string, fields: ErrorFields = {}, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = "ArcadeError";
    this.code = code;
    this.fields = fields;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }
}

const RECEIVED_CHARACTERS = 80;
/** Tokens of every kind of `TOKEN_PREFIXES`; their kind may be shown, nothing else. */
const TOKEN = /\b(a[arpsx]_)[\w-]+/g;

export const hideTokens = (text: string): string => text.replace(TOKEN, "$1…");

/** Text of a request as errors quote it: short, and without tokens. */
export const quoteReceived = (text: string): string => JSON.stringify(hideTokens(text.slice(0, RECEIVED_CHARACTERS)));
