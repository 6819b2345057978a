/** The tokens of a sign-in: an access token, and a refresh token that is rotated with each use. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Address, Hex } from "viem";
import { AUTH_TIMES } from "../../../domain/auth.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import { toIso } from "../../../domain/time.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { LiveSessions } from "../../ports/live.ts";
import type { AuthStore, NewTokens, RefreshTokenRow, RevokedTokens } from "../../ports/store/auth.ts";
import type { Clock } from "../../ports/system.ts";
import type { Identity } from "../identity/identity.ts";
import { createToken, deriveToken, describeToken, hashToken, isTokenOfKind } from "./tokens.ts";

interface SignInTokenPorts {
  readonly store: AuthStore;
  readonly clock: Pick<Clock, "nowMs">;
  readonly chain: Pick<ChainReader, "isValidSignature">;
  readonly identity: Pick<Identity, "findAgentId">;
  readonly live: Pick<LiveSessions, "closeChannel">;
  readonly settings: {
    readonly accessTtlSeconds: number;
    readonly refreshTtlSeconds: number;
    readonly allowErc1271: boolean;
  };
}

interface NewSignIn {
  readonly wallet: Address;
  readonly slug: string;
  /** What a contract wallet accepted (ERC-1271) and must accept again at each refresh; null for a key's signature. */
  readonly contractSignature: { readonly digest: Hex; readonly signature: Hex } | null;
}

interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const createReuseError = (problem: string): ArcadeError =>
  new ArcadeError("REFRESH_REUSED", `${problem}; sign in again.`);

const deriveSuccessor = (oldToken: string, salt: string): TokenPair => ({
  accessToken: deriveToken("access", oldToken, salt),
  refreshToken: deriveToken("refresh", oldToken, salt),
});

function toTokenRows(
  facts: Omit<
    RefreshTokenRow,
    "tokenHash" | "successorSalt" | "rotatedAtMs" | "successorAccessExpiresAtMs" | "revokedAtMs"
  >,
  { accessToken, refreshToken }: TokenPair,
  accessExpiresAtMs: number,
): NewTokens {
  const { familyId, wallet, slug, expiresAtMs, accessTtlSeconds, contractDigest, contractSignature } = facts;
  const shared = { familyId, wallet, slug, revokedAtMs: null };
  return {
    access: { ...shared, tokenHash: hashToken(accessToken), expiresAtMs: accessExpiresAtMs },
    refresh: {
      ...shared,
      tokenHash: hashToken(refreshToken),
      expiresAtMs,
      accessTtlSeconds,
      contractDigest,
      contractSignature,
      successorSalt: null,
      rotatedAtMs: null,
      successorAccessExpiresAtMs: null,
    },
  };
}

/** Opens, rotates and revokes token families; each family is one sign-in. */
export class SignInTokens {
  readonly #ports: SignInTokenPorts;

  constructor(ports: SignInTokenPorts) {
    this.#ports = ports;
  }

  /** Opens a token family. */
  async create({ wallet, slug, contractSignature }: NewSignIn) {
    const { store, clock, settings } = this.#ports;
    const nowMs = clock.nowMs();
    const pair = { accessToken: createToken("access"), refreshToken: createToken("refresh") };
    const accessTtlSeconds = this.#getAccessTtlSeconds(contractSignature !== null);
    const facts = {
      familyId: randomUUID(),
      wallet,
      slug,
      accessTtlSeconds,
      expiresAtMs: nowMs + settings.refreshTtlSeconds * 1000,
      contractDigest: contractSignature?.digest ?? null,
      contractSignature: contractSignature?.signature ?? null,
    };
    const rows = toTokenRows(facts, pair, Math.min(nowMs + accessTtlSeconds * 1000, facts.expiresAtMs));
    await store.addTokens(rows);
    return this.#toTokenResponse(rows, pair);
  }

  /**
   * Rotates a refresh token. For 10 s a rotated token gets the same successor again, so that a client whose response
   * was lost stays signed in; later its use revokes the family (RFC 9700 §4.14.2).
   */
  async refresh(refreshToken: string) {
    const nowMs = this.#ports.clock.nowMs();
    const row = await this.#findRefreshToken(refreshToken, nowMs);
    await this.#askContractWallet(row);
    const rotated =
      (await this.#rotate(row, refreshToken, nowMs)) ?? (await this.#findGracedRotation(refreshToken, nowMs));
    if (rotated !== null) return this.#toSuccessorResponse(rotated, refreshToken);
    await this.revoke(row);
    throw createReuseError("The refresh token was used before, so the whole sign-in is revoked");
  }

  /** Ends sign-ins and closes the channels that they opened. Returns how many sign-ins were still valid. */
  async revoke(tokens: RevokedTokens): Promise<number> {
    const { store, clock, live } = this.#ports;
    const { families, channelTokens } = await store.revoke(tokens, clock.nowMs());
    for (const { sessionId, tokenHash } of channelTokens) live.closeChannel(sessionId, tokenHash);
    return families;
  }

  #getAccessTtlSeconds(isContract: boolean): number {
    const { accessTtlSeconds } = this.#ports.settings;
    return isContract ? Math.min(accessTtlSeconds, AUTH_TIMES.erc1271AccessTtlSeconds) : accessTtlSeconds;
  }

  /** The row of a refresh token that may still be used. */
  async #findRefreshToken(token: string, nowMs: number): Promise<RefreshTokenRow> {
    const row = isTokenOfKind(token, "refresh") ? await this.#ports.store.findRefreshToken(hashToken(token)) : null;
    if (row === null) {
      const received = describeToken(token, "refresh");
      throw new ArcadeError("TOKEN_INVALID", `Expected a refresh token (ar_…), received ${received}; sign in again.`);
    }
    if (row.revokedAtMs !== null) throw createReuseError("This sign-in was revoked");
    if (row.expiresAtMs <= nowMs)
      throw new ArcadeError("TOKEN_EXPIRED", `The sign-in ended at ${toIso(row.expiresAtMs)}; sign in again.`);
    return row;
  }

  /** Revokes the sign-in if its contract wallet no longer accepts the signature. Throws `TOKEN_INVALID` then. */
  async #askContractWallet(row: RefreshTokenRow): Promise<void> {
    const { wallet, contractDigest, contractSignature } = row;
    if (contractDigest === null || contractSignature === null) return;
    const { chain, settings } = this.#ports;
    if (settings.allowErc1271 && (await chain.isValidSignature(wallet, contractDigest, contractSignature))) return;
    await this.revoke(row);
    throw new ArcadeError(
      "TOKEN_INVALID",
      `The contract wallet ${wallet} no longer accepts the signature of this sign-in, so it is revoked; sign in again.`,
    );
  }

  /** The token's row after its rotation; null if another request has rotated it. */
  async #rotate(row: RefreshTokenRow, token: string, nowMs: number): Promise<RefreshTokenRow | null> {
    if (row.successorSalt !== null) return null;
    const salt = randomBytes(16).toString("hex");
    const accessExpiresAtMs = Math.min(nowMs + row.accessTtlSeconds * 1000, row.expiresAtMs);
    const next = toTokenRows(row, deriveSuccessor(token, salt), accessExpiresAtMs);
    const isRotated = await this.#ports.store.rotateRefreshToken(row.tokenHash, salt, nowMs, next);
    return isRotated ? { ...row, successorSalt: salt, successorAccessExpiresAtMs: accessExpiresAtMs } : null;
  }

  /** The row of a token that was rotated within the grace and whose successor is unused; null otherwise. */
  async #findGracedRotation(token: string, nowMs: number): Promise<RefreshTokenRow | null> {
    const { store } = this.#ports;
    const row = await store.findRefreshToken(hashToken(token));
    if (row === null || row.rotatedAtMs === null || row.revokedAtMs !== null || row.successorSalt === null) return null;
    if (nowMs - row.rotatedAtMs > AUTH_TIMES.refreshGraceSeconds * 1000) return null;
    const { refreshToken } = deriveSuccessor(token, row.successorSalt);
    const successor = await store.findRefreshToken(hashToken(refreshToken));
    return successor !== null && successor.rotatedAtMs === null ? row : null;
  }

  #toSuccessorResponse(rotated: RefreshTokenRow, token: string) {
    const pair = deriveSuccessor(token, rotated.successorSalt!);
    return this.#toTokenResponse(toTokenRows(rotated, pair, rotated.successorAccessExpiresAtMs!), pair);
  }

  async #toTokenResponse({ access, refresh }: NewTokens, pair: TokenPair) {
    return {
      ...pair,
      tokenType: "Bearer" as const,
      accessExpiresAt: toIso(access.expiresAtMs),
      refreshExpiresAt: toIso(refresh.expiresAtMs),
      walletAddress: access.wallet,
      agentId: await this.#ports.identity.findAgentId(access.wallet),
    };
  }
}
