/** `createClient`: typed methods for every route, with automatic sign-in and retries. */
import { type ArcadeContracts, pinContracts } from "./contracts.ts";
import { ArcadeApiError } from "./errors.ts";
import { createRequestSender, type Fetch } from "./http.ts";
import { type CallOptions, createMethods, type Methods } from "./methods.ts";
import { createRandomId } from "./random-id.ts";
import { DEFAULT_RETRY, type RetryPolicy, withRetry } from "./retry.ts";
import type { RouteSpec } from "./route-spec.ts";
import { parseServiceUrl } from "./service-url.ts";
import { type SignIn, WalletSignIn } from "./sign-in.ts";
import type { ArcadeWallet } from "./wallet.ts";

export interface ClientOptions {
  /** The service's origin, for example `http://127.0.0.1:4100`: no path, user or password. */
  readonly baseUrl: string;
  /** Signs in and sends calls. Without one, only public routes and anonymous practice work. */
  readonly wallet?: ArcadeWallet;
  /** The game whose routes are used to sign in; the token is valid for every game. */
  readonly slug?: string;
  /** The contracts that the wallet may call; required on every chain but the local one. */
  readonly contracts?: ArcadeContracts;
  /** Sends the requests; the default is the runtime's `fetch`. */
  readonly fetch?: Fetch;
  /** Overrides of the default retry policy. */
  readonly retry?: Partial<RetryPolicy>;
  /** For runtimes without a global one. */
  readonly WebSocket?: typeof WebSocket;
  /** Milliseconds since 1970, for the expiry of tokens; the default is `Date.now`. */
  readonly nowMs?: () => number;
}

export interface ArcadeClient extends Methods {
  readonly baseUrl: string;
  /** Null for a client without one. */
  readonly wallet: ArcadeWallet | null;
  /** Sign-in, credentials and sign-out; methods sign in automatically. */
  readonly signIn: SignIn;
  /** The contracts that flows may call: those of the options, or of the chain's published deployment. */
  getContracts(): Promise<ArcadeContracts>;
  readonly retry: RetryPolicy;
  /** From now on, responses are as of this block or later. Flows pass the blocks of their receipts. */
  seeBlock(block: number): void;
  /** What the play and spectate channels need from the client. */
  readonly channelPorts: {
    readonly WebSocket: typeof WebSocket;
    readonly sleep: RetryPolicy["sleep"];
    readonly random: RetryPolicy["random"];
  };
}

const DEFAULT_SLUG = "shellrunners";

/** Finds mistakes of JavaScript programs that would look like failures of the network or of the service later. */
function checkWallet({ wallet }: ClientOptions): void {
  if (wallet !== undefined && typeof wallet?.sendCall !== "function")
    throw new TypeError(
      "createClient: expected `wallet` from `fromViem(…)` or `await fromEthers(…)`, received another value",
    );
}

/**
 * A client of one service for one wallet. Every method throws `ArcadeApiError`. It retries retryable failures with
 * full-jitter backoff, refreshes an expired token, and signs in again after a revocation.
 */
export function createClient(options: ClientOptions): ArcadeClient {
  checkWallet(options);
  // A `fetch` of the program may resolve other addresses.
  const baseUrl =
    options.fetch === undefined
      ? parseServiceUrl("createClient: baseUrl", options.baseUrl)
      : String(options.baseUrl).replace(/\/+$/, "");
  const retry: RetryPolicy = { ...DEFAULT_RETRY, ...options.retry };
  let seenBlock = 0;
  const seeBlock = (block: number): void => {
    if (Number.isSafeInteger(block)) seenBlock = Math.max(seenBlock, block);
  };
  const sendRequest = createRequestSender(baseUrl, options.fetch ?? ((url, init) => fetch(url, init)), seeBlock);
  const wallet = options.wallet ?? null;
  const slug = options.slug ?? DEFAULT_SLUG;

  async function send(spec: RouteSpec, input: Record<string, unknown>, call: CallOptions): Promise<unknown> {
    const idempotencyKey = spec.repeat === "keyed" ? (call.idempotencyKey ?? createRandomId()) : null;
    const attempt = (token: string | null) =>
      withRetry(
        () => sendRequest({ route: spec, input, token, idempotencyKey, minBlock: seenBlock, signal: call.signal }),
        spec.repeat,
        retry,
        call.signal,
      );
    if (call.token !== undefined || spec.token === undefined) return attempt(call.token ?? null);
    const token = await signIn.accessToken();
    try {
      return await attempt(token);
    } catch (error) {
      const code = error instanceof ArcadeApiError ? error.code : null;
      if (token === null || (code !== "TOKEN_EXPIRED" && code !== "TOKEN_INVALID")) throw error;
      const next = await signIn.replaceToken(token, code);
      if (next === null) throw error;
      return attempt(next);
    }
  }

  const methods = createMethods(send);
  let pinned: Promise<ArcadeContracts> | null = null;
  async function getContracts(): Promise<ArcadeContracts> {
    if (options.contracts !== undefined) return options.contracts;
    pinned ??= methods.agent.agentInstructions().then(pinContracts);
    return pinned.catch((error: unknown) => {
      pinned = null;
      throw error;
    });
  }
  const signIn: SignIn = new WalletSignIn({
    wallet,
    baseUrl,
    slug,
    getChainId: async () => options.contracts?.chainId ?? (await wallet?.getChainId?.()) ?? null,
    nonce: (walletAddress) => methods.auth.nonce({ slug, walletAddress }),
    verify: (message, signature) => methods.auth.verify({ slug, message, signature }),
    refresh: (refreshToken) => methods.auth.refresh({ slug, refreshToken }),
    revoke: (token, all) => methods.auth.signOut({ slug, all }, { token }),
    nowMs: options.nowMs ?? Date.now,
  });

  const channelPorts = {
    /** Node 20 has no global one. */
    get WebSocket() {
      const found = options.WebSocket ?? globalThis.WebSocket;
      if (found !== undefined) return found;
      throw new TypeError(
        "This runtime has no WebSocket: give `createClient` one, for example that of the package ws.",
      );
    },
    sleep: retry.sleep,
    random: retry.random,
  };
  return { ...methods, baseUrl, wallet, signIn, getContracts, retry, seeBlock, channelPorts };
}
