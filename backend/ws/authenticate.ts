import { createHash } from "node:crypto";
import { authMessage, type ChannelRole, type CloseReason } from "../domain/protocol.ts";
import type { ChannelTokenStore } from "../ports/store.ts";

/** Channel tokens are stored by the sha256 of their text, in hex. */
export const hashChannelToken = (token: string): string => createHash("sha256").update(token).digest("hex");

export type Authenticated =
  | { readonly ok: true; readonly tokenHash: string; readonly ip: string | null }
  | { readonly ok: false; readonly reason: CloseReason };

const refuse = (reason: CloseReason): Authenticated => ({ ok: false, reason });

/** Checks the first message of a channel and uses its token up. Throws where the store does not answer. */
export async function authenticate(
  text: string,
  channel: { readonly role: ChannelRole; readonly sessionId: string },
  options: { readonly tokens: ChannelTokenStore; readonly nowMs: () => number; readonly isRunning: () => boolean },
): Promise<Authenticated> {
  const parsed = authMessage.safeParse(parseJson(text));
  if (!parsed.success) return refuse("INVALID_TOKEN");
  const tokenHash = hashChannelToken(parsed.data.token);
  const row = await options.tokens.find(tokenHash);
  if (row === null) return refuse("TOKEN_NOT_FOUND");
  if (row.kind !== channel.role || row.sessionId !== channel.sessionId) return refuse("INVALID_TOKEN");
  if (row.usedAtMs !== null || row.revokedAtMs !== null) return refuse("TOKEN_REPLAYED");
  if (row.expiresAtMs <= options.nowMs()) return refuse("TOKEN_EXPIRED");
  if (!(await options.tokens.use(tokenHash, options.nowMs()))) return refuse("TOKEN_REPLAYED");
  return options.isRunning() ? { ok: true, tokenHash, ip: row.ip } : refuse("SESSION_ENDED");
}

/** The JSON value of a text, or undefined, which no schema accepts. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
