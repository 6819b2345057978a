/** Sign-in with automatic refresh. Many calls may ask at once: one refresh is in flight at a time. */
import { ArcadeApiError, isApiError } from "./errors.ts";
import type { Address, Credentials, Hex } from "./types.ts";

export interface SignInPorts {
  /** Who signs; null for a client without a wallet. */
  readonly wallet: { readonly address: Address; signMessage(message: string): Promise<Hex> } | null;
  nonce(walletAddress: Address): Promise<{ readonly message: string }>;
  verify(message: string, signature: Hex): Promise<Credentials>;
  refresh(refreshToken: string): Promise<Credentials>;
  nowMs(): number;
}

/** Refreshed this long before its end, or at the last tenth of a shorter life. */
const REFRESH_AHEAD_MS = 60_000;
/** A nonce may be used up by a request whose answer was lost; two more are asked for. */
const NONCE_TRIES = 3;

export type SignIn = ReturnType<typeof makeSignIn>;

export function makeSignIn(ports: SignInPorts) {
  let held: { readonly credentials: Credentials; readonly renewAtMs: number } | null = null;
  let inFlight: Promise<Credentials> | null = null;

  function keep(credentials: Credentials): Credentials {
    const endsAtMs = Date.parse(credentials.accessExpiresAt);
    const aheadMs = Math.min(REFRESH_AHEAD_MS, (endsAtMs - ports.nowMs()) / 10);
    held = { credentials, renewAtMs: endsAtMs - Math.max(0, aheadMs) };
    return credentials;
  }

  async function signInAnew(): Promise<Credentials> {
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
      const { message } = await ports.nonce(wallet.address);
      const signature = await wallet.signMessage(message);
      try {
        return await ports.verify(message, signature);
      } catch (error) {
        const again = isApiError(
          error,
          "NONCE_INVALID",
          "NONCE_EXPIRED",
          "NONCE_USED",
          "MESSAGE_EXPIRED",
          "NETWORK_FAULT",
        );
        if (!again || tries === NONCE_TRIES) throw error;
      }
    }
  }

  async function refreshOrSignIn(credentials: Credentials): Promise<Credentials> {
    try {
      return await ports.refresh(credentials.refreshToken);
    } catch (error) {
      if (!isApiError(error, "REFRESH_REUSED", "TOKEN_EXPIRED", "TOKEN_INVALID")) throw error;
      if (held?.credentials === credentials) held = null;
      return signInAnew();
    }
  }

  /** Everyone who asks while one is under way gets the same outcome. */
  function renew(how: () => Promise<Credentials>): Promise<Credentials> {
    inFlight ??= how()
      .then(keep)
      .finally(() => {
        inFlight = null;
      });
    return inFlight;
  }

  return {
    /** A fresh sign-in by the wallet, whatever is held. Throws `ArcadeApiError`. */
    signIn: (): Promise<Credentials> => renew(signInAnew),

    /** A token to send now: refreshed when near its end, signed in when there is none; null without a wallet. */
    async accessToken(): Promise<string | null> {
      if (held === null) return ports.wallet === null ? null : (await renew(signInAnew)).accessToken;
      const { credentials, renewAtMs } = held;
      if (ports.nowMs() < renewAtMs) return credentials.accessToken;
      try {
        return (await renew(() => refreshOrSignIn(credentials))).accessToken;
      } catch (error) {
        // Ahead of time and the service is away: the token held is good for a little longer.
        const stillGood = ports.nowMs() < Date.parse(credentials.accessExpiresAt);
        if (stillGood && isApiError(error) && error.retryable) return credentials.accessToken;
        throw error;
      }
    },

    /** After the service refused `token`: its successor, or null where there is none to be had. */
    async replace(token: string, code: "TOKEN_EXPIRED" | "TOKEN_INVALID"): Promise<string | null> {
      if (held === null && ports.wallet === null) return null;
      // Somebody else has replaced it meanwhile.
      if (held !== null && held.credentials.accessToken !== token) return held.credentials.accessToken;
      const credentials = held?.credentials;
      const expired = code === "TOKEN_EXPIRED" && credentials !== undefined;
      if (!expired && ports.wallet === null) return null;
      return (await renew(expired ? () => refreshOrSignIn(credentials) : signInAnew)).accessToken;
    },

    /** What is held now; null when signed out. Can be stored and given to `restore`. */
    credentials: (): Credentials | null => held?.credentials ?? null,

    /** Goes on with credentials of an earlier run. */
    restore(credentials: Credentials): void {
      keep(credentials);
    },

    signOut(): void {
      held = null;
    },
  };
}
