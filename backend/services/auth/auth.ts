import { randomBytes, randomUUID } from "node:crypto";
import type { Address, Hex } from "viem";
import { hashMessage } from "viem";
import { AUTH_TIMES, checkSignInMessage, type SignInMessage, toSignInStatement } from "../../domain/auth.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { formatSignInMessage, parseSignInMessage } from "../../domain/sign-in-message.ts";
import { toIso } from "../../domain/time.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { LiveSessions } from "../../ports/live.ts";
import type { AuthStore, NewTokens, NonceRow, RefreshTokenRow, RevokedTokens } from "../../ports/store/auth.ts";
import type { Clock, Worker } from "../../ports/system.ts";
import type { Identity } from "../identity/identity.ts";
import { createToken, deriveToken, hashToken, isTokenOfKind } from "./tokens.ts";
import { proveSignature, type SignatureProof } from "./wallet-signature.ts";

export interface AuthSettings {
  /** The address that the service is reached at. */
  readonly publicUrl: () => string;
  /** Origins that a sign-in message may name. */
  readonly origins: () => readonly string[];
  readonly accessTtlSeconds: number;
  readonly refreshTtlSeconds: number;
  readonly allowErc1271: boolean;
}

interface AuthPorts {
  readonly store: AuthStore;
  readonly clock: Pick<Clock, "nowMs">;
  readonly worker: Pick<Worker, "recoverMessage">;
  readonly chain: Pick<ChainReader, "deployment" | "hasCode" | "isValidSignature">;
  readonly identity: Pick<Identity, "findAgentId">;
  readonly live: Pick<LiveSessions, "closeChannel">;
  readonly settings: AuthSettings;
}

export interface VerifyRequest {
  readonly slug: string;
  readonly message: string;
  readonly signature: Hex;
}

interface SignedMessage {
  readonly wallet: Address;
  readonly message: string;
  /** EIP-191 hash of `message`. */
  readonly digest: Hex;
  readonly signature: Hex;
}

interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const createNonceError = (code: "NONCE_INVALID" | "NONCE_USED" | "NONCE_EXPIRED", problem: string): ArcadeError =>
  new ArcadeError(code, `${problem}; ask a new one at auth/nonce.`);

const createReuseError = (problem: string): ArcadeError =>
  new ArcadeError("REFRESH_REUSED", `${problem}; sign in again.`);

/** Where a message's signature is presented; the URI of the message that is issued. */
const toVerifyPath = (slug: string): string => `/api/games/${slug}/auth/verify`;

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

/** Sign-in by wallet (ERC-4361): nonces, verification, token rotation and authentication. */
export class Auth {
  readonly #ports: AuthPorts;

  constructor(ports: AuthPorts) {
    this.#ports = ports;
  }

  /** A nonce for one use, and the complete message to sign. */
  async createNonce({ slug, walletAddress }: { readonly slug: string; readonly walletAddress: Address }) {
    const { store, clock, chain, settings } = this.#ports;
    const nowMs = clock.nowMs();
    const expiresAtMs = nowMs + AUTH_TIMES.nonceTtlSeconds * 1000;
    // 128 bits, alphanumeric as the ERC-4361 grammar requires.
    const nonce = randomBytes(16).toString("hex");
    const { origin, host } = new URL(settings.publicUrl());
    const { chainId } = chain.deployment;
    const uri = `${origin}${toVerifyPath(slug)}`;
    const [issuedAt, expiresAt] = [toIso(nowMs), toIso(expiresAtMs)];
    const message = formatSignInMessage({
      origin,
      address: walletAddress,
      statement: toSignInStatement(slug),
      uri,
      chainId,
      nonce,
      issuedAt,
      expirationTime: expiresAt,
    });
    await store.addNonce({
      nonce,
      purpose: "auth",
      wallet: walletAddress,
      slug,
      message,
      issuedAtMs: nowMs,
      expiresAtMs,
      usedAtMs: null,
    });
    return { nonce, message, domain: host, uri, chainId, issuedAt, expiresAt };
  }

  /**
   * Opens a token family for a signed message: the one that was issued, or another one whose every field passes. The
   * nonce is used up even if a check fails.
   */
  async verify({ slug, message, signature }: VerifyRequest) {
    const { store, clock, settings } = this.#ports;
    const parsed = parseSignInMessage(message);
    const nowMs = clock.nowMs();
    const issued = await this.#consumeNonce(parsed, slug, nowMs);
    const { wallet } = issued;
    if (message !== issued.message) this.#checkOtherMessage(parsed, issued, nowMs);
    const digest = hashMessage(message);
    const proof = await this.#checkSignature({ wallet, message, digest, signature });
    const pair = { accessToken: createToken("access"), refreshToken: createToken("refresh") };
    const accessTtlSeconds = this.#getAccessTtlSeconds(proof);
    const expiresAtMs = nowMs + settings.refreshTtlSeconds * 1000;
    const contract =
      proof === "contract"
        ? { contractDigest: digest, contractSignature: signature }
        : { contractDigest: null, contractSignature: null };
    const facts = { familyId: randomUUID(), wallet, slug, expiresAtMs, accessTtlSeconds, ...contract };
    const rows = toTokenRows(facts, pair, Math.min(nowMs + accessTtlSeconds * 1000, expiresAtMs));
    await store.addTokens(rows);
    return this.#toTokenResponse(rows, pair);
  }

  /**
   * Rotates a refresh token. For 10 s a rotated token gets the same successor again, so that a client whose response
   * was lost stays signed in; later its use revokes the family (RFC 9700 §4.14.2).
   */
  async refresh({ refreshToken }: { readonly refreshToken: string }) {
    const nowMs = this.#ports.clock.nowMs();
    const row = await this.#findRefreshToken(refreshToken, nowMs);
    await this.#askContractWallet(row, nowMs);
    const rotated =
      (await this.#rotate(row, refreshToken, nowMs)) ?? (await this.#findGracedRotation(refreshToken, nowMs));
    if (rotated !== null) return this.#toSuccessorResponse(rotated, refreshToken);
    await this.#revoke(row, nowMs);
    throw createReuseError("The refresh token was used before, so the whole sign-in is revoked");
  }

  /** The player that a token belongs to. Throws `TOKEN_INVALID` or `TOKEN_EXPIRED`. */
  async authenticate(token: string, practiceAllowed: boolean) {
    const { store, clock } = this.#ports;
    if (practiceAllowed && isTokenOfKind(token, "practice"))
      return { kind: "practice" as const, tokenHash: hashToken(token) };
    const row = isTokenOfKind(token, "access") ? await store.findAccessToken(hashToken(token)) : null;
    if (row === null || row.revokedAtMs !== null) {
      const message = "Expected an access token of this service (aa_…) that was not revoked; sign in again.";
      throw new ArcadeError("TOKEN_INVALID", message);
    }
    if (row.expiresAtMs <= clock.nowMs())
      throw new ArcadeError("TOKEN_EXPIRED", `The access token expired at ${toIso(row.expiresAtMs)}; refresh it.`);
    const { wallet, familyId, slug, expiresAtMs: accessExpiresAtMs } = row;
    return { kind: "wallet" as const, wallet, familyId, slug, accessExpiresAtMs };
  }

  /**
   * Ends the caller's sign-in, or every sign-in of its wallet: no token of it is accepted any more, and the channels
   * that it opened are closed.
   */
  async signOut(caller: { readonly wallet: Address; readonly familyId: string }, all: boolean) {
    const { wallet, familyId } = caller;
    const families = await this.#revoke(all ? { wallet } : { familyId }, this.#ports.clock.nowMs());
    return { signedOut: true as const, signIns: families };
  }

  /** Returns the number of sign-ins that could be used until now. */
  async #revoke(tokens: RevokedTokens, nowMs: number): Promise<number> {
    const { store, live } = this.#ports;
    const { families, channelTokens } = await store.revoke(tokens, nowMs);
    for (const { sessionId, tokenHash } of channelTokens) live.closeChannel(sessionId, tokenHash);
    return families;
  }

  async #consumeNonce({ nonce }: SignInMessage, slug: string, nowMs: number): Promise<NonceRow> {
    const { store } = this.#ports;
    const row = await store.findNonce(nonce);
    if (row === null || row.purpose !== "auth" || row.slug !== slug)
      throw createNonceError("NONCE_INVALID", `Expected a nonce that this service gave for ${slug}`);
    if (!(await store.consumeNonce(row.nonce, nowMs)))
      throw createNonceError("NONCE_USED", "The nonce was used before");
    if (row.expiresAtMs <= nowMs)
      throw createNonceError("NONCE_EXPIRED", `The nonce expired at ${toIso(row.expiresAtMs)}`);
    return row;
  }

  #checkOtherMessage(message: SignInMessage, { wallet, slug }: NonceRow, nowMs: number): void {
    const { chain, settings } = this.#ports;
    checkSignInMessage(message, {
      origins: settings.origins(),
      path: toVerifyPath(slug),
      statement: toSignInStatement(slug),
      chainId: chain.deployment.chainId,
      wallet,
      nowMs,
    });
  }

  async #checkSignature({ wallet, message, digest, signature }: SignedMessage): Promise<SignatureProof> {
    const { worker, chain, settings } = this.#ports;
    return proveSignature(
      { chain, allowErc1271: settings.allowErc1271 },
      {
        wallet,
        signature,
        recovered: await worker.recoverMessage(message, signature),
        getDigest: () => digest,
        instruction: "sign the exact message text (EIP-191)",
      },
    );
  }

  #getAccessTtlSeconds(proof: SignatureProof): number {
    const { accessTtlSeconds } = this.#ports.settings;
    return proof === "key" ? accessTtlSeconds : Math.min(accessTtlSeconds, AUTH_TIMES.erc1271AccessTtlSeconds);
  }

  /** The row of a refresh token that may still be used. */
  async #findRefreshToken(token: string, nowMs: number): Promise<RefreshTokenRow> {
    const row = isTokenOfKind(token, "refresh") ? await this.#ports.store.findRefreshToken(hashToken(token)) : null;
    if (row === null)
      throw new ArcadeError("TOKEN_INVALID", "Expected a refresh token of this service (ar_…); sign in again.");
    if (row.revokedAtMs !== null) throw createReuseError("This sign-in was revoked");
    if (row.expiresAtMs <= nowMs)
      throw new ArcadeError("TOKEN_EXPIRED", `The sign-in ended at ${toIso(row.expiresAtMs)}; sign in again.`);
    return row;
  }

  /** A contract wallet can take its signature back: the sign-in ends when it does. Throws `TOKEN_INVALID`. */
  async #askContractWallet(row: RefreshTokenRow, nowMs: number): Promise<void> {
    const { wallet, contractDigest, contractSignature } = row;
    if (contractDigest === null || contractSignature === null) return;
    const { chain, settings } = this.#ports;
    if (settings.allowErc1271 && (await chain.isValidSignature(wallet, contractDigest, contractSignature))) return;
    await this.#revoke(row, nowMs);
    throw new ArcadeError(
      "TOKEN_INVALID",
      `The contract wallet ${wallet} no longer accepts the signature of this sign-in, so it is revoked; sign in again.`,
    );
  }

  /** The token's row after its rotation; null where another request has rotated it. */
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
