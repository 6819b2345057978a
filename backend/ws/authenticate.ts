import type { Hex } from "viem";
import { ADDRESS_LIMITS } from "../../domain/limits/limits.ts";
import { dropNulls } from "../../domain/null-members.ts";
import { authMessage, type ChannelRole, type CloseReason } from "../../domain/protocol/messages.ts";
import type { ChannelTokenStore } from "../ports/store/auth.ts";
import type { RateLimiter } from "../ports/system.ts";
import { hashToken } from "../services/auth/tokens.ts";
import { explainBadAuth } from "./explain-message.ts";

export interface AcceptedToken {
  readonly ok: true;
  readonly tokenHash: string;
  readonly ip: string | null;
  /** The player's part of the seed; absent if the message has none. */
  readonly entropy?: Hex;
}

/** `explanation`: replaces the reason's own title. */
interface RejectedToken {
  readonly ok: false;
  readonly reason: CloseReason;
  readonly explanation?: string;
}

type AuthResult = AcceptedToken | RejectedToken;

const reject = (reason: CloseReason, explanation?: string): RejectedToken => ({
  ok: false,
  reason,
  ...(explanation === undefined ? {} : { explanation }),
});

/** Checks the first message of a channel and consumes its token. Throws when the store fails. */
export async function authenticate(
  text: string,
  channel: { readonly role: ChannelRole; readonly sessionId: string; readonly ip: string },
  options: {
    readonly tokens: ChannelTokenStore;
    readonly limiter: RateLimiter;
    readonly nowMs: () => number;
  },
): Promise<AuthResult> {
  const value = parseJson(text);
  const parsed = authMessage.safeParse(value);
  if (!parsed.success) return reject("INVALID_TOKEN", explainBadAuth(text, value, parsed.error.issues, channel.role));
  // Taken before the lookup and returned for a valid token.
  const { limiter } = options;
  const bound = ADDRESS_LIMITS.failedTokens;
  if (!limiter.consume(bound, channel.ip).allowed) {
    const expected = `at most ${bound.limit} wrong tokens in ${bound.windowSeconds} s from your address`;
    return reject("RATE_LIMITED", `Expected ${expected}; received more.`);
  }
  let isTokenWrong = false;
  try {
    const result = await consumeToken(hashToken(parsed.data.token), channel, options);
    isTokenWrong = !result.ok;
    const { entropy } = parsed.data;
    return result.ok && entropy !== undefined ? { ...result, entropy } : result;
  } finally {
    if (!isTokenWrong) limiter.refund(bound, channel.ip);
  }
}

async function consumeToken(
  tokenHash: string,
  channel: { readonly role: ChannelRole; readonly sessionId: string },
  options: { readonly tokens: ChannelTokenStore; readonly nowMs: () => number },
): Promise<AuthResult> {
  const row = await options.tokens.find(tokenHash);
  if (row === null) return reject("TOKEN_NOT_FOUND");
  if (row.kind !== channel.role || row.sessionId !== channel.sessionId) {
    const received = row.kind === channel.role ? "one of another session" : `a ${row.kind} token`;
    return reject("INVALID_TOKEN", `Expected a ${channel.role} token of this session; received ${received}.`);
  }
  if (row.usedAtMs !== null) return reject("TOKEN_REPLAYED");
  if (row.revokedAtMs !== null) return reject("TOKEN_REVOKED");
  if (row.expiresAtMs <= options.nowMs()) return reject("TOKEN_EXPIRED");
  if (!(await options.tokens.consume(tokenHash, options.nowMs()))) return reject("TOKEN_REPLAYED");
  return { ok: true, tokenHash, ip: row.ip };
}

/**
 * The JSON value of a text, or undefined, which no schema accepts. A byte-order mark is ignored, and so are members
 * that are null: no message has any, and many libraries write them for fields without a value.
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
    return text.includes("null") ? dropNulls(value) : value;
  } catch {
    return undefined;
  }
}
