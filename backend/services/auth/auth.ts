import { randomBytes } from "node:crypto";
import type { Address, Hex } from "viem";
import { hashMessage } from "viem";
import { AUTH_TIMES, checkSignInMessage, type SignInMessage, toSignInStatement } from "../../../domain/auth.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import type { OwnOrigins } from "../../../domain/origins.ts";
import { formatSignInMessage, parseSignInMessage } from "../../../domain/sign-in-message.ts";
import { toIso } from "../../../domain/time.ts";
import type { ChainReader } from "../../ports/chain.ts";
import type { LiveSessions } from "../../ports/live.ts";
import type { AuthStore, NonceRow } from "../../ports/store/auth.ts";
import type { Clock, Worker } from "../../ports/system.ts";
import type { Identity } from "../identity/identity.ts";
import { SignInTokens } from "./sign-in-tokens.ts";
import { describeToken, hashToken, isTokenOfKind } from "./tokens.ts";
import { listMessageMistakes, proveSignature, type SignatureProof } from "./wallet-signature.ts";

export interface AuthSettings {
  /** The address that the service is reached at. */
  readonly publicUrl: () => string;
  /** Origins that a sign-in message may name. */
  readonly origins: OwnOrigins;
  readonly accessTtlSeconds: number;
  readonly refreshTtlSeconds: number;
  readonly allowErc1271: boolean;
}

interface AuthPorts {
  readonly store: AuthStore;
  readonly clock: Pick<Clock, "nowMs">;
  readonly worker: Pick<Worker, "recoverMessage" | "recoverDigest">;
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

const createNonceError = (code: "NONCE_INVALID" | "NONCE_USED" | "NONCE_EXPIRED", problem: string): ArcadeError =>
  new ArcadeError(code, `${problem}; request a new one at auth/nonce.`);

/** The path of the endpoint that verifies a signature; also in the URI of the issued message. */
const toVerifyPath = (slug: string): string => `/api/games/${slug}/auth/verify`;

/** Sign-in by wallet (ERC-4361): nonces, verification, token rotation and authentication. */
export class Auth {
  readonly #ports: AuthPorts;
  readonly #tokens: SignInTokens;

  constructor(ports: AuthPorts) {
    this.#ports = ports;
    this.#tokens = new SignInTokens(ports);
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
    const issuedAt = toIso(nowMs);
    const expiresAt = toIso(expiresAtMs);
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
   * Opens a token family for a signed message: the issued one, or any other whose fields are all valid. Uses up the
   * nonce even if a check fails.
   */
  async verify({ slug, message, signature }: VerifyRequest) {
    const { clock } = this.#ports;
    const parsed = parseSignInMessage(message);
    const nowMs = clock.nowMs();
    const issued = await this.#consumeNonce(parsed, slug, nowMs);
    const { wallet } = issued;
    if (message !== issued.message) this.#checkOtherMessage(parsed, issued, nowMs);
    const digest = hashMessage(message);
    const proof = await this.#checkSignature({ wallet, message, digest, signature });
    const contractSignature = proof === "contract" ? { digest, signature } : null;
    return this.#tokens.create({ wallet, slug, contractSignature });
  }

  /** Rotates a refresh token; see `SignInTokens.refresh`. */
  refresh({ refreshToken }: { readonly refreshToken: string }) {
    return this.#tokens.refresh(refreshToken);
  }

  /** The player that a token belongs to. Throws `TOKEN_INVALID` or `TOKEN_EXPIRED`. */
  async authenticate(token: string, practiceAllowed: boolean) {
    const { store, clock } = this.#ports;
    if (practiceAllowed && isTokenOfKind(token, "practice"))
      return { kind: "practice" as const, tokenHash: hashToken(token) };
    const row = isTokenOfKind(token, "access") ? await store.findAccessToken(hashToken(token)) : null;
    if (row === null || row.revokedAtMs !== null) {
      const received = describeToken(token, "access");
      throw new ArcadeError("TOKEN_INVALID", `Expected an access token (aa_…), received ${received}; sign in again.`);
    }
    if (row.expiresAtMs <= clock.nowMs())
      throw new ArcadeError("TOKEN_EXPIRED", `The access token expired at ${toIso(row.expiresAtMs)}; refresh it.`);
    const { wallet, familyId, slug, expiresAtMs: accessExpiresAtMs } = row;
    return { kind: "wallet" as const, wallet, familyId, slug, accessExpiresAtMs };
  }

  /**
   * Ends the caller's sign-in, or every sign-in of its wallet: revokes the tokens and closes the channels that it
   * opened.
   */
  async signOut(caller: { readonly wallet: Address; readonly familyId: string }, all: boolean) {
    const { wallet, familyId } = caller;
    const families = await this.#tokens.revoke(all ? { wallet } : { familyId });
    return { signedOut: true as const, signIns: families };
  }

  async #consumeNonce({ nonce }: SignInMessage, slug: string, nowMs: number): Promise<NonceRow> {
    const { store } = this.#ports;
    const row = await store.findNonce(nonce);
    if (row === null || row.purpose !== "auth" || row.slug !== slug)
      throw createNonceError("NONCE_INVALID", `Expected a nonce that this service gave for ${slug}`);
    // safeguard: use-nonce-once
    if (!(await store.consumeNonce(row.nonce, nowMs)))
      throw createNonceError("NONCE_USED", "The nonce was used before");
    if (row.expiresAtMs <= nowMs)
      throw createNonceError("NONCE_EXPIRED", `The nonce expired at ${toIso(row.expiresAtMs)}`);
    return row;
  }

  #checkOtherMessage(message: SignInMessage, { wallet, slug }: NonceRow, nowMs: number): void {
    const { chain, settings } = this.#ports;
    checkSignInMessage(message, {
      origins: settings.origins(message.domain),
      path: toVerifyPath(slug),
      statement: toSignInStatement(slug),
      chainId: chain.deployment.chainId,
      wallet,
      nowMs,
    });
  }

  async #checkSignature({ wallet, message, digest, signature }: SignedMessage): Promise<SignatureProof> {
    const { worker, chain, settings } = this.#ports;
    const { proof } = await proveSignature(
      { chain, worker, allowErc1271: settings.allowErc1271 },
      {
        wallet,
        signature,
        recovered: await worker.recoverMessage(message, signature),
        getDigest: () => digest,
        instruction: "sign the exact message text (EIP-191)",
        listMistakes: () => listMessageMistakes(message),
      },
    );
    return proof;
  }
}
