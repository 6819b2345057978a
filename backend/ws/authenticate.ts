import type { Hex } from "viem";
import { ADDRESS_LIMITS } from "../../domain/limits/limits.ts";
import { authMessage, type ChannelRole, type CloseReason } from "../../domain/protocol/messages.ts";
import type { ChannelTokenStore } from "../ports/store/auth.ts";
import type { RateLimiter } from "../ports/system.ts";
import { hashToken } from "../services/auth/tokens.ts";

export interface AcceptedToken {
  readonly ok: true;
  readonly tokenHash: string;
  readonly ip: string | null;
  /** The player's part of the seed; absent where the message has none. */
  readonly entropy?: Hex;
}

type AuthResult = AcceptedToken | { readonly ok: false; readonly reason: CloseReason };

const reject = (reason: CloseReason): AuthResult => ({ ok: false, reason });

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
  const parsed = authMessage.safeParse(parseJson(text));
  if (!parsed.success) return reject("INVALID_TOKEN");
  // Taken before the look-up and given back for a valid token.
  const { limiter } = options;
  if (!limiter.consume(ADDRESS_LIMITS.failedTokens, channel.ip).allowed) return reject("RATE_LIMITED");
  let isTokenWrong = false;
  try {
    const result = await consumeToken(hashToken(parsed.data.token), channel, options);
    isTokenWrong = !result.ok;
    const { entropy } = parsed.data;
    return result.ok && entropy !== undefined ? { ...result, entropy } : result;
  } finally {
    if (!isTokenWrong) limiter.refund(ADDRESS_LIMITS.failedTokens, channel.ip);
  }
}

async function consumeToken(
  tokenHash: string,
  channel: { readonly role: ChannelRole; readonly sessionId: string },
  options: { readonly tokens: ChannelTokenStore; readonly nowMs: () => number },
): Promise<AuthResult> {
  const row = await options.tokens.find(tokenHash);
  if (row === null) return reject("TOKEN_NOT_FOUND");
  if (row.kind !== channel.role || row.sessionId !== channel.sessionId) return reject("INVALID_TOKEN");
  if (row.usedAtMs !== null || row.revokedAtMs !== null) return reject("TOKEN_REPLAYED");
  if (row.expiresAtMs <= options.nowMs()) return reject("TOKEN_EXPIRED");
  if (!(await options.tokens.consume(tokenHash, options.nowMs()))) return reject("TOKEN_REPLAYED");
  return { ok: true, tokenHash, ip: row.ip };
}

/** The JSON value of a text, or undefined, which no schema accepts. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
