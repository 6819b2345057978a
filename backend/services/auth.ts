import { randomBytes, randomUUID } from "node:crypto";
import { hashMessage } from "viem";
import { AUTH_TIMES, checkSignInMessage } from "../domain/auth.ts";
import { ArcadeError } from "../domain/errors.ts";
import { isoOf } from "../domain/time.ts";
import type { Address, AuthStore, ChainReader, Clock, Hex, NewTokens, RefreshTokenRow, Worker } from "../ports.ts";
import type { Identity } from "./identity.ts";
import { parseMessage, writeMessage } from "./sign-in-message.ts";
import { deriveToken, hashToken, hasKind, makeToken } from "./tokens.ts";

export interface AuthSettings {
  /** The service's own address: where messages are to be used. */
  readonly publicUrl: () => string;
  readonly domains: () => readonly string[];
  readonly accessTtlSeconds: number;
  readonly refreshTtlSeconds: number;
  readonly allowErc1271: boolean;
}

interface AuthPorts {
  readonly store: AuthStore;
  readonly clock: Clock;
  readonly worker: Worker;
  readonly chain: ChainReader;
  readonly identity: Pick<Identity, "agentIdOf">;
  readonly settings: AuthSettings;
}

export type Auth = ReturnType<typeof makeAuth>;

/** Sign-in by wallet: nonce, verify, refresh, and who a token belongs to. */
export function makeAuth({ store, clock, worker, chain, identity, settings }: AuthPorts) {
  const { chainId } = chain.deployment;

  async function answerOf(tokens: NewTokens, accessToken: string, refreshToken: string) {
    return {
      accessToken,
      refreshToken,
      tokenType: "Bearer" as const,
      accessExpiresAt: isoOf(tokens.access.expiresAtMs),
      refreshExpiresAt: isoOf(tokens.refresh.expiresAtMs),
      walletAddress: tokens.access.wallet,
      agentId: await identity.agentIdOf(tokens.access.wallet),
    };
  }

  function rowsOf(
    facts: Pick<RefreshTokenRow, "familyId" | "wallet" | "slug" | "expiresAtMs" | "accessTtlSeconds">,
    accessToken: string,
    refreshToken: string,
    accessExpiresAtMs: number,
  ): NewTokens {
    const { familyId, wallet, slug } = facts;
    return {
      access: {
        tokenHash: hashToken(accessToken),
        familyId,
        wallet,
        slug,
        expiresAtMs: accessExpiresAtMs,
        revokedAtMs: null,
      },
      refresh: {
        ...facts,
        tokenHash: hashToken(refreshToken),
        successorSalt: null,
        rotatedAtMs: null,
        successorAccessExpiresAtMs: null,
        revokedAtMs: null,
      },
    };
  }

  /** How the wallet proved itself: a plain key, or a contract (ERC-1271). Throws `SIGNATURE_INVALID`. */
  async function checkSignature(wallet: Address, message: string, signature: Hex): Promise<"key" | "contract"> {
    const recovered = await worker.recoverMessage(message, signature);
    if (recovered === wallet) return "key";
    if (
      settings.allowErc1271 &&
      (await chain.hasCode(wallet)) &&
      (await chain.isValidSignature(wallet, hashMessage(message), signature))
    ) {
      return "contract";
    }
    const received = recovered ?? "a signature that is not 65 bytes with a low s";
    throw new ArcadeError(
      "SIGNATURE_INVALID",
      `Expected a signature by ${wallet}, received one by ${received}; sign the exact message text (EIP-191).`,
      { expected: wallet, received },
    );
  }

  return {
    /** A one-time nonce and the complete message to sign. */
    async nonce({ slug, walletAddress }: { readonly slug: string; readonly walletAddress: Address }) {
      const nowMs = clock.nowMs();
      const expiresAtMs = nowMs + AUTH_TIMES.nonceTtlSeconds * 1000;
      // 128 bits, alphanumeric as the ERC-4361 grammar wants.
      const nonce = randomBytes(16).toString("hex");
      const url = new URL(settings.publicUrl());
      const message = writeMessage({
        origin: url.origin,
        address: walletAddress,
        statement: `Sign in to Agent Arcade (${slug}).`,
        uri: `${url.origin}/api/games/${slug}/auth/verify`,
        chainId,
        nonce,
        issuedAt: isoOf(nowMs),
        expirationTime: isoOf(expiresAtMs),
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
      return {
        nonce,
        message,
        domain: url.host,
        uri: `${url.origin}/api/games/${slug}/auth/verify`,
        chainId,
        issuedAt: isoOf(nowMs),
        expiresAt: isoOf(expiresAtMs),
      };
    },

    /** Checks a signed message in every field and opens a token family. The nonce is burnt whatever comes out. */
    async verify({
      slug,
      message,
      signature,
    }: {
      readonly slug: string;
      readonly message: string;
      readonly signature: Hex;
    }) {
      const parsed = parseMessage(message);
      const nowMs = clock.nowMs();
      const row = await store.findNonce(parsed.nonce);
      if (row === null || row.purpose !== "auth" || row.slug !== slug) {
        throw new ArcadeError(
          "NONCE_INVALID",
          `Expected a nonce that this service gave for ${slug}; ask a new one at auth/nonce.`,
        );
      }
      if (!(await store.useNonce(row.nonce, nowMs)))
        throw new ArcadeError("NONCE_USED", "The nonce was used before; ask a new one at auth/nonce.");
      if (row.expiresAtMs <= nowMs)
        throw new ArcadeError(
          "NONCE_EXPIRED",
          `The nonce expired at ${isoOf(row.expiresAtMs)}; ask a new one at auth/nonce.`,
        );
      checkSignInMessage(parsed, {
        domains: settings.domains(),
        origins: settings.domains().flatMap((domain) => [`http://${domain}`, `https://${domain}`]),
        chainId,
        wallet: row.wallet,
        nowMs,
      });
      const proof = await checkSignature(row.wallet, message, signature);

      const accessTtlSeconds =
        proof === "key"
          ? settings.accessTtlSeconds
          : Math.min(settings.accessTtlSeconds, AUTH_TIMES.erc1271AccessTtlSeconds);
      const accessToken = makeToken("access");
      const refreshToken = makeToken("refresh");
      const expiresAtMs = nowMs + settings.refreshTtlSeconds * 1000;
      const facts = { familyId: randomUUID(), wallet: row.wallet, slug, expiresAtMs, accessTtlSeconds };
      const tokens = rowsOf(facts, accessToken, refreshToken, Math.min(nowMs + accessTtlSeconds * 1000, expiresAtMs));
      await store.addTokens(tokens);
      return answerOf(tokens, accessToken, refreshToken);
    },

    /**
     * Rotates a refresh token. The one just rotated away answers the same successor for 10 s (a lost answer signs
     * nobody out); used later it revokes the family, for somebody has a copy.
     */
    async refresh({ refreshToken }: { readonly refreshToken: string }) {
      const nowMs = clock.nowMs();
      const oldHash = hashToken(refreshToken);
      const old = hasKind(refreshToken, "refresh") ? await store.findRefreshToken(oldHash) : null;
      if (old === null)
        throw new ArcadeError("TOKEN_INVALID", "Expected a refresh token of this service (ar_…); sign in again.");
      if (old.revokedAtMs !== null)
        throw new ArcadeError(
          "REFRESH_REUSED",
          "This sign-in was revoked because a refresh token was used twice; sign in again.",
        );
      if (old.expiresAtMs <= nowMs)
        throw new ArcadeError("TOKEN_EXPIRED", `The sign-in ended at ${isoOf(old.expiresAtMs)}; sign in again.`);

      const successor = async (row: RefreshTokenRow) => {
        const salt = row.successorSalt!;
        const accessToken = deriveToken("access", refreshToken, salt);
        const next = deriveToken("refresh", refreshToken, salt);
        return answerOf(rowsOf(row, accessToken, next, row.successorAccessExpiresAtMs!), accessToken, next);
      };
      if (old.successorSalt === null) {
        const salt = randomBytes(16).toString("hex");
        const accessExpiresAtMs = Math.min(nowMs + old.accessTtlSeconds * 1000, old.expiresAtMs);
        const accessToken = deriveToken("access", refreshToken, salt);
        const next = rowsOf(old, accessToken, deriveToken("refresh", refreshToken, salt), accessExpiresAtMs);
        if (await store.rotate(oldHash, salt, nowMs, next))
          return successor({ ...old, successorSalt: salt, successorAccessExpiresAtMs: accessExpiresAtMs });
      }
      // Somebody rotated it before: the same client whose answer was lost, or a thief.
      const rotated = await store.findRefreshToken(oldHash);
      const fresh =
        rotated?.rotatedAtMs != null && nowMs - rotated.rotatedAtMs <= AUTH_TIMES.refreshGraceSeconds * 1000;
      if (rotated !== null && fresh && rotated.revokedAtMs === null && rotated.successorSalt !== null) {
        const next = await store.findRefreshToken(
          hashToken(deriveToken("refresh", refreshToken, rotated.successorSalt)),
        );
        // Only the immediately previous token has the grace: its successor must be unused itself.
        if (next !== null && next.rotatedAtMs === null) return successor(rotated);
      }
      await store.revokeFamily(old.familyId, nowMs);
      throw new ArcadeError(
        "REFRESH_REUSED",
        "The refresh token was used before, so the whole sign-in is revoked; sign in again.",
      );
    },

    /** Whose token it is. Throws `TOKEN_INVALID` or `TOKEN_EXPIRED`. */
    async authenticate(token: string, practiceAllowed: boolean) {
      if (practiceAllowed && hasKind(token, "practice"))
        return { kind: "practice" as const, tokenHash: hashToken(token) };
      const row = hasKind(token, "access") ? await store.findAccessToken(hashToken(token)) : null;
      if (row === null || row.revokedAtMs !== null) {
        throw new ArcadeError(
          "TOKEN_INVALID",
          "Expected an access token of this service (aa_…) that was not revoked; sign in again.",
        );
      }
      if (row.expiresAtMs <= clock.nowMs())
        throw new ArcadeError("TOKEN_EXPIRED", `The access token expired at ${isoOf(row.expiresAtMs)}; refresh it.`);
      return { kind: "wallet" as const, wallet: row.wallet, slug: row.slug, accessExpiresAtMs: row.expiresAtMs };
    },
  };
}
