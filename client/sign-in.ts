/** Sign-in with automatic refresh. Concurrent calls share one refresh. */

import type { Address, Hex } from "viem";
import type { Credentials } from "./api.ts";
import { ArcadeApiError, isApiError } from "./errors.ts";

export interface SignInPorts {
  /** The signer; null for a client without a wallet. */
  readonly wallet: { readonly address: Address; signMessage(message: string): Promise<Hex> } | null;
  /** The service's address, which the message must contain. */
  readonly baseUrl: string;
  /** The game whose routes are used. */
  readonly slug: string;
  /** The chain that the message must name; null if it is not known. */
  getChainId(): Promise<number | null>;
  nonce(walletAddress: Address): Promise<{ readonly message: string; readonly nonce: string }>;
  verify(message: string, signature: Hex): Promise<Credentials>;
  refresh(refreshToken: string): Promise<Credentials>;
  /** Revokes this sign-in at the service, or with `all` every one of the wallet. */
  revoke(accessToken: string, all: boolean): Promise<unknown>;
  nowMs(): number;
}

/** Refreshed this long before expiry, or in the last tenth of a shorter lifetime. */
const REFRESH_AHEAD_MS = 60_000;
/** A request whose response was lost may have used up its nonce; two more are requested. */
const NONCE_ATTEMPTS = 3;
/** After these errors a new nonce may succeed. */
const RETRIED_CODES = ["NONCE_INVALID", "NONCE_EXPIRED", "NONCE_USED", "MESSAGE_EXPIRED", "NETWORK_FAULT"] as const;

/** Refresh errors after which the sign-in cannot be used again. */
const ENDED_CODES = ["REFRESH_REUSED", "TOKEN_EXPIRED", "TOKEN_INVALID"] as const;

const createAuthError = (message: string): ArcadeApiError =>
  new ArcadeApiError({ code: "AUTH_REQUIRED", message, status: 401, retryable: false });

/** The sign-in of a client. Its methods throw `ArcadeApiError`. */
export interface SignIn {
  /** Signs in with the wallet again, even if a sign-in is current. */
  signIn(): Promise<Credentials>;
  /** A token to send now: refreshes one that is near its expiry, signs in if there is none; null without a wallet. */
  accessToken(): Promise<string | null>;
  /** A new token after the service rejected `token`, or null. */
  replaceToken(token: string, code: "TOKEN_EXPIRED" | "TOKEN_INVALID"): Promise<string | null>;
  /** The current credentials; null when signed out. Store them and pass them to `restore`. */
  credentials(): Credentials | null;
  /** Continues with the credentials of an earlier run. */
  restore(credentials: Credentials): void;
  /**
   * Signs out: the service revokes this sign-in, or with `all` every sign-in of the wallet, and closes their channels.
   * The credentials are forgotten even if the service cannot be reached, which throws. `all` also throws if this
   * sign-in has ended or there is none: sign in and repeat it.
   */
  signOut(options?: { readonly all?: boolean }): Promise<void>;
}

interface Renewal {
  /** The service's response. */
  readonly obtained: Promise<Credentials>;
  /** Resolves with the response once it is stored; rejects if the client signs out first. */
  readonly stored: Promise<Credentials>;
  /** True: by the refresh token, which works once. False: by the wallet. */
  readonly isRefresh: boolean;
}

/** Keeps the credentials in memory, and renews them by their refresh token or by the wallet. */
export class WalletSignIn implements SignIn {
  readonly #ports: SignInPorts;
  #current: { readonly credentials: Credentials; readonly renewAtMs: number } | null = null;
  #renewal: Renewal | null = null;

  constructor(ports: SignInPorts) {
    this.#ports = ports;
  }

  signIn(): Promise<Credentials> {
    return this.#renew(null);
  }

  async accessToken(): Promise<string | null> {
    const { wallet, nowMs } = this.#ports;
    if (this.#current === null) return wallet === null ? null : (await this.signIn()).accessToken;
    const { credentials, renewAtMs } = this.#current;
    if (nowMs() < renewAtMs) return credentials.accessToken;
    try {
      return (await this.#renew(credentials)).accessToken;
    } catch (error) {
      // Renew before the token expires: if the service does not respond, it can still be used.
      const isStillValid = nowMs() < Date.parse(credentials.accessExpiresAt);
      if (isStillValid && isApiError(error) && error.retryable) return credentials.accessToken;
      throw error;
    }
  }

  async replaceToken(token: string, code: "TOKEN_EXPIRED" | "TOKEN_INVALID"): Promise<string | null> {
    const { wallet } = this.#ports;
    const credentials = this.credentials();
    if (credentials === null && wallet === null) return null;
    // Another call has replaced it.
    if (credentials !== null && credentials.accessToken !== token) return credentials.accessToken;
    if (code === "TOKEN_EXPIRED" && credentials !== null) return (await this.#renew(credentials)).accessToken;
    return wallet === null ? null : (await this.signIn()).accessToken;
  }

  credentials(): Credentials | null {
    return this.#current?.credentials ?? null;
  }

  restore(credentials: Credentials): void {
    this.#store(credentials, { isNew: false });
  }

  async signOut({ all = false }: { readonly all?: boolean } = {}): Promise<void> {
    const { revoke } = this.#ports;
    const credentials = this.credentials();
    const renewal = this.#renewal;
    this.#current = null;
    this.#renewal = null;
    const revokeObtained = async (obtained: Promise<Credentials>): Promise<unknown> =>
      revoke((await obtained).accessToken, all);
    // If a renewal is under way, its tokens are revoked when they arrive.
    const successor = renewal === null ? null : revokeObtained(renewal.obtained);
    successor?.catch(() => undefined);
    if (credentials === null) {
      if (!all) return;
      if (successor === null) throw createAuthError("Signing out everywhere needs a sign-in; sign in and repeat it.");
      await successor;
      return;
    }
    try {
      await revoke(credentials.accessToken, all).catch((error: unknown) => {
        if (!isApiError(error, "TOKEN_EXPIRED")) throw error;
        // An expired access token cannot revoke its sign-in; a refreshed one can.
        return renewal?.isRefresh ? successor : revokeObtained(this.#ports.refresh(credentials.refreshToken));
      });
    } catch (error) {
      // This sign-in has ended, but the wallet's others have not.
      if (all || !isApiError(error, ...ENDED_CODES)) throw error;
    }
  }

  /**
   * A new token that seems expired shows that this machine's clock is ahead. From then on only the service decides when
   * it has expired.
   */
  #store(credentials: Credentials, { isNew }: { readonly isNew: boolean }): Credentials {
    const expiresAtMs = Date.parse(credentials.accessExpiresAt);
    const lifeMs = expiresAtMs - this.#ports.nowMs();
    const marginMs = Math.min(REFRESH_AHEAD_MS, Math.max(0, lifeMs) / 10);
    const renewAtMs = isNew && !(lifeMs > 0) ? Number.POSITIVE_INFINITY : expiresAtMs - marginMs;
    this.#current = { credentials, renewAtMs };
    return credentials;
  }

  /**
   * Refreshes these credentials, or signs in by the wallet if there are none. Concurrent calls share the result. Throws
   * `AUTH_REQUIRED` if the client signs out during it.
   */
  #renew(current: Credentials | null): Promise<Credentials> {
    if (this.#renewal !== null) return this.#renewal.stored;
    const isCurrent = (): boolean => this.#renewal === renewal;
    const obtained = current === null ? this.#signInWithWallet() : this.#refreshOrSignIn(current);
    const stored = obtained
      .then((credentials) => {
        if (isCurrent()) return this.#store(credentials, { isNew: true });
        throw createAuthError(
          "The client signed out while this call waited for its sign-in; sign in and repeat the call.",
        );
      })
      .finally(() => {
        if (isCurrent()) this.#renewal = null;
      });
    const renewal: Renewal = { obtained, stored, isRefresh: current !== null };
    this.#renewal = renewal;
    return stored;
  }

  async #refreshOrSignIn(credentials: Credentials): Promise<Credentials> {
    try {
      return await this.#ports.refresh(credentials.refreshToken);
    } catch (error) {
      if (!isApiError(error, ...ENDED_CODES)) throw error;
      // Signed out during the request: do not prompt the wallet again.
      if (this.credentials() !== credentials) throw error;
      this.#current = null;
      return this.#signInWithWallet();
    }
  }

  async #signInWithWallet(): Promise<Credentials> {
    const { wallet } = this.#ports;
    if (wallet === null)
      throw createAuthError(
        "The sign-in has ended and this client has no wallet to sign in again; create it with one.",
      );
    for (let tries = 1; ; tries++) {
      const message = await this.#requestMessage(wallet.address);
      const signature = await wallet.signMessage(message);
      try {
        return await this.#ports.verify(message, signature);
      } catch (error) {
        if (!isApiError(error, ...RETRIED_CODES) || tries === NONCE_ATTEMPTS) throw error;
      }
    }
  }

  /** A checked message to sign. Throws `ArcadeApiError` if it is for another service, wallet or chain. */
  async #requestMessage(address: Address): Promise<string> {
    const { baseUrl, slug, getChainId } = this.#ports;
    const { message, nonce } = await this.#ports.nonce(address);
    // Loaded with the first sign-in, because it imports viem, which read-only pages do not need.
    const { checkSignInRequest } = await import("./check-sign-in.ts");
    checkSignInRequest(message, { baseUrl, slug, nonce, address, chainId: await getChainId() });
    return message;
  }
}
