/** Sign-in with automatic refresh. Concurrent calls share one refresh. */

import type { Address, Hex } from "viem";
import type { Credentials } from "./api.ts";
import { ArcadeApiError, isApiError } from "./errors.ts";

export interface SignInPorts {
  /** The signer; null for a client without a wallet. */
  readonly wallet: { readonly address: Address; signMessage(message: string): Promise<Hex> } | null;
  /** Where the service is: the message must name it. */
  readonly baseUrl: string;
  /** The game whose routes are used. */
  readonly slug: string;
  /** The chain that the message must name; null where it is not known. */
  getChainId(): Promise<number | null>;
  nonce(walletAddress: Address): Promise<{ readonly message: string; readonly nonce: string }>;
  verify(message: string, signature: Hex): Promise<Credentials>;
  refresh(refreshToken: string): Promise<Credentials>;
  /** Revokes this sign-in at the service, or with `all` every one of the wallet. */
  revoke(accessToken: string, all: boolean): Promise<unknown>;
  nowMs(): number;
}

/** Refreshed this long before its end, or at the last tenth of a shorter life. */
const REFRESH_AHEAD_MS = 60_000;
/** A request whose response was lost may have used its nonce up; two more are requested. */
const NONCE_ATTEMPTS = 3;

export type SignIn = ReturnType<typeof makeSignIn>;

export function makeSignIn(ports: SignInPorts) {
  let current: { readonly credentials: Credentials; readonly renewAtMs: number } | null = null;
  let inFlight: Promise<Credentials> | null = null;

  function storeCredentials(credentials: Credentials): Credentials {
    const expiresAtMs = Date.parse(credentials.accessExpiresAt);
    const marginMs = Math.min(REFRESH_AHEAD_MS, (expiresAtMs - ports.nowMs()) / 10);
    current = { credentials, renewAtMs: expiresAtMs - Math.max(0, marginMs) };
    return credentials;
  }

  async function signInWithWallet(): Promise<Credentials> {
    const { wallet } = ports;
    if (wallet === null) {
      throw new ArcadeApiError({
        code: "AUTH_REQUIRED",
        message: "The sign-in has ended and this client has no wallet to sign in again; create it with one.",
        status: 401,
        retryable: false,
      });
    }
    for (let tries = 1; ; tries++) {
      const { message, nonce } = await ports.nonce(wallet.address);
      const { baseUrl, slug } = ports;
      // Loaded with the first sign-in: it brings viem, which a page that only reads does not need.
      const { checkSignInRequest } = await import("./check-sign-in.ts");
      checkSignInRequest(message, { baseUrl, slug, nonce, address: wallet.address, chainId: await ports.getChainId() });
      const signature = await wallet.signMessage(message);
      try {
        return await ports.verify(message, signature);
      } catch (error) {
        const canRetry = isApiError(
          error,
          "NONCE_INVALID",
          "NONCE_EXPIRED",
          "NONCE_USED",
          "MESSAGE_EXPIRED",
          "NETWORK_FAULT",
        );
        if (!canRetry || tries === NONCE_ATTEMPTS) throw error;
      }
    }
  }

  async function refreshOrSignIn(credentials: Credentials): Promise<Credentials> {
    try {
      return await ports.refresh(credentials.refreshToken);
    } catch (error) {
      if (!isApiError(error, "REFRESH_REUSED", "TOKEN_EXPIRED", "TOKEN_INVALID")) throw error;
      if (current?.credentials === credentials) current = null;
      return signInWithWallet();
    }
  }

  /** All calls during a renewal get its outcome. */
  function renew(obtain: () => Promise<Credentials>): Promise<Credentials> {
    inFlight ??= obtain()
      .then(storeCredentials)
      .finally(() => {
        inFlight = null;
      });
    return inFlight;
  }

  return {
    /** A new sign-in by the wallet, even where one is current. Throws `ArcadeApiError`. */
    signIn: (): Promise<Credentials> => renew(signInWithWallet),

    /** A token to send now: refreshed when near its end, signed in when there is none; null without a wallet. */
    async accessToken(): Promise<string | null> {
      if (current === null) return ports.wallet === null ? null : (await renew(signInWithWallet)).accessToken;
      const { credentials, renewAtMs } = current;
      if (ports.nowMs() < renewAtMs) return credentials.accessToken;
      try {
        return (await renew(() => refreshOrSignIn(credentials))).accessToken;
      } catch (error) {
        // The token is renewed before it expires: while the service does not respond, it can still be used.
        const isStillValid = ports.nowMs() < Date.parse(credentials.accessExpiresAt);
        if (isStillValid && isApiError(error) && error.retryable) return credentials.accessToken;
        throw error;
      }
    },

    /** After the service rejected `token`: its successor, or null where none can be obtained. */
    async replaceToken(token: string, code: "TOKEN_EXPIRED" | "TOKEN_INVALID"): Promise<string | null> {
      if (current === null && ports.wallet === null) return null;
      // Another call has replaced it meanwhile.
      if (current !== null && current.credentials.accessToken !== token) return current.credentials.accessToken;
      const credentials = current?.credentials;
      const expired = code === "TOKEN_EXPIRED" && credentials !== undefined;
      if (!expired && ports.wallet === null) return null;
      return (await renew(expired ? () => refreshOrSignIn(credentials) : signInWithWallet)).accessToken;
    },

    /** The current credentials; null when signed out. Can be stored and passed to `restore`. */
    credentials: (): Credentials | null => current?.credentials ?? null,

    /** Continues with the credentials of an earlier run. */
    restore(credentials: Credentials): void {
      storeCredentials(credentials);
    },

    /**
     * Signs out: the service revokes this sign-in, with `all` every sign-in of the wallet, and closes their channels.
     * The credentials are forgotten even where the service cannot be reached, which throws `ArcadeApiError`.
     */
    async signOut({ all = false }: { readonly all?: boolean } = {}): Promise<void> {
      const credentials = current?.credentials;
      current = null;
      if (credentials === undefined) return;
      try {
        await ports.revoke(credentials.accessToken, all);
      } catch (error) {
        if (!isApiError(error, "TOKEN_EXPIRED", "TOKEN_INVALID")) throw error;
        // An expired access token does not end its sign-in: the refresh token does until then.
        if (error.code === "TOKEN_EXPIRED")
          await ports.revoke((await ports.refresh(credentials.refreshToken)).accessToken, all);
      }
    },
  };
}
