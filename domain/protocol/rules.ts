/** Close codes of the channels, as data. Codes below 4000: RFC 6455 §7.4.1 and its registry. */

export type ChannelRole = "play" | "spectate";

interface CloseRow {
  readonly code: number;
  /**
   * What a client does next: stay away, reconnect with a new token, or do so after a random delay of up to a second.
   */
  readonly reconnect: "no" | "new_token" | "after_pause";
  readonly title: string;
}

const row = (code: number, reconnect: CloseRow["reconnect"], title: string): CloseRow => ({ code, reconnect, title });

/** The key is the reason text of the close frame. */
export const CLOSE_REASONS = {
  GAME_OVER: row(1000, "no", "The session has ended"),
  EXIT: row(1000, "no", "The player ended the session"),
  PROTOCOL_ERROR: row(1002, "new_token", "A frame broke the WebSocket protocol"),
  INVALID_TEXT: row(1007, "new_token", "A message was not UTF-8 text"),
  TOO_BIG: row(1009, "no", "A message was larger than the channel's limit"),
  SERVER_RESTART: row(1012, "after_pause", "The server is stopping; the session continues after its restart"),
  AUTH_TIMEOUT: row(4001, "new_token", "No token came in time"),
  INVALID_TOKEN: row(4002, "new_token", "The first message was not a well-formed `auth` for this channel"),
  TOKEN_NOT_FOUND: row(4002, "new_token", "The token is unknown"),
  TOKEN_EXPIRED: row(4003, "new_token", "The token has expired"),
  TOKEN_REPLAYED: row(4003, "new_token", "The token was used before: it opens one socket"),
  TOKEN_REVOKED: row(4003, "new_token", "The token was revoked, by a newer one or by a sign-out"),
  SESSION_NOT_FOUND: row(4004, "no", "The session is not running here"),
  SESSION_ENDED: row(4004, "no", "The session had ended before"),
  RATE_LIMITED: row(4008, "after_pause", "Too many messages, wrong tokens or connections"),
  DISPLACED: row(4009, "no", "A newer socket has taken the controls"),
  CONSUMER_TOO_SLOW: row(4010, "new_token", "The socket reads too slowly"),
  BAD_MESSAGE: row(4011, "no", "Too many messages that the channel does not know"),
  PONG_TIMEOUT: row(4012, "new_token", "The socket did not answer pings"),
} as const satisfies Record<string, CloseRow>;
export type CloseReason = keyof typeof CLOSE_REASONS;

/** What a client gets before its socket closes with a code of the service. */
const TO_DO = {
  no: "",
  new_token: " Request a new token and connect again.",
  after_pause: " Connect again after a second or more.",
} as const;

/** The sentence of a close, with what to do next; `explanation` replaces the reason's own title. */
export const explainClose = (reason: CloseReason, explanation = `${CLOSE_REASONS[reason].title}.`): string =>
  explanation + TO_DO[CLOSE_REASONS[reason].reconnect];

/** Codes of `error` messages: a reason to close, or a message that was not accepted. */
export const CLIENT_ERROR_CODES = [...(Object.keys(CLOSE_REASONS) as CloseReason[]), "PAUSE_LIMIT"] as const;
export type ClientErrorCode = (typeof CLIENT_ERROR_CODES)[number];
