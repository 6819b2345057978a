/** `createClient`: typed methods for every route, signed in and retried by themselves. */
import { ArcadeApiError } from "./errors.ts";
import { type Fetch, makeExchange } from "./http.ts";
import { DEFAULT_RETRY, type RetryPolicy, withRetry } from "./retry.ts";
import type { RouteSpec } from "./route.ts";
import { ROUTES, type RouteTable } from "./routes.ts";
import { GENERATED_ROUTES } from "./routes-generated.ts";
import { makeSignIn, type SignIn } from "./sign-in.ts";
import type { ArcadeWallet } from "./wallet.ts";

export interface ClientOptions {
  /** Where the service is, for example `http://127.0.0.1:4100`. */
  readonly baseUrl: string;
  /** Signs in and sends calls; without one only public routes and anonymous practice work. */
  readonly wallet?: ArcadeWallet;
  /** The game whose routes are used to sign in; a token is good for every game. */
  readonly slug?: string;
  readonly fetch?: Fetch;
  readonly retry?: Partial<RetryPolicy>;
  /** For runtimes without a global one. */
  readonly WebSocket?: typeof WebSocket;
  readonly nowMs?: () => number;
}

export interface CallOptions {
  /** Sent instead of the wallet's token: a practice token. */
  readonly token?: string;
  /** Made up when left out; give one to repeat a creating call after a crash. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

type Method<Spec> =
  Spec extends RouteSpec<infer Input, infer Answer>
    ? Record<never, never> extends Input
      ? (input?: Input, options?: CallOptions) => Promise<Answer>
      : (input: Input, options?: CallOptions) => Promise<Answer>
    : never;

type Generated = typeof GENERATED_ROUTES;
type Row<Table, Namespace, Name> = Namespace extends keyof Table
  ? Name extends keyof Table[Namespace]
    ? Table[Namespace][Name]
    : never
  : never;
type NamesOf<Table, Namespace> = Namespace extends keyof Table ? keyof Table[Namespace] : never;

/** `client.sessions.start({...})`, one method for each row of both tables. */
export type Methods = {
  readonly [Namespace in keyof RouteTable | keyof Generated]: {
    readonly [Name in NamesOf<RouteTable, Namespace> | NamesOf<Generated, Namespace>]: Method<
      Row<RouteTable, Namespace, Name> | Row<Generated, Namespace, Name>
    >;
  };
};

type Rows = { readonly [namespace: string]: { readonly [name: string]: RouteSpec } };

/** Every row: those typed by hand, and the rest as the service's table has them. */
export function allRoutes(): Rows {
  const rest: Rows = GENERATED_ROUTES;
  const byHand: Rows = ROUTES;
  return Object.fromEntries(
    [...new Set([...Object.keys(byHand), ...Object.keys(rest)])].map((namespace) => [
      namespace,
      { ...rest[namespace], ...byHand[namespace] },
    ]),
  );
}

export interface ArcadeClient extends Methods {
  readonly baseUrl: string;
  readonly wallet: ArcadeWallet | null;
  readonly signIn: SignIn;
  readonly retry: RetryPolicy;
  /** What the play and spectate channels take from the client. */
  readonly channelPorts: {
    readonly WebSocket: typeof WebSocket;
    readonly sleep: RetryPolicy["sleep"];
    readonly random: RetryPolicy["random"];
  };
}

const DEFAULT_SLUG = "shellrunners";

/**
 * A client of one service for one wallet. Every method throws `ArcadeApiError`; retryable failures are repeated with
 * full-jitter backoff first, an expired token is refreshed, a revoked sign-in is renewed.
 */
export function createClient(options: ClientOptions): ArcadeClient {
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const retry: RetryPolicy = { ...DEFAULT_RETRY, ...options.retry };
  const exchange = makeExchange(baseUrl, options.fetch ?? ((url, init) => fetch(url, init)));
  const wallet = options.wallet ?? null;
  const slug = options.slug ?? DEFAULT_SLUG;

  async function send(spec: RouteSpec, input: Record<string, unknown>, call: CallOptions): Promise<unknown> {
    const idempotencyKey = spec.repeat === "keyed" ? (call.idempotencyKey ?? crypto.randomUUID()) : null;
    const attempt = (token: string | null) =>
      withRetry(
        () => exchange({ route: spec, input, token, idempotencyKey, signal: call.signal }),
        spec.repeat,
        retry,
        call.signal,
      );
    if (call.token !== undefined || spec.token === "none") return attempt(call.token ?? null);
    const token = await signIn.accessToken();
    try {
      return await attempt(token);
    } catch (error) {
      const code = error instanceof ArcadeApiError ? error.code : null;
      if (token === null || (code !== "TOKEN_EXPIRED" && code !== "TOKEN_INVALID")) throw error;
      const next = await signIn.replace(token, code);
      if (next === null) throw error;
      return attempt(next);
    }
  }

  const methods = Object.fromEntries(
    Object.entries(allRoutes()).map(([namespace, table]) => [
      namespace,
      Object.fromEntries(
        Object.entries(table).map(([name, spec]) => [
          name,
          (input: Record<string, unknown> = {}, call: CallOptions = {}) => send(spec, input, call),
        ]),
      ),
    ]),
  ) as unknown as Methods;

  const signIn = makeSignIn({
    wallet,
    nonce: (walletAddress) => methods.auth.nonce({ slug, walletAddress }),
    verify: (message, signature) => methods.auth.verify({ slug, message, signature }),
    refresh: (refreshToken) => methods.auth.refresh({ slug, refreshToken }),
    nowMs: options.nowMs ?? Date.now,
  });

  const channelPorts = {
    WebSocket: options.WebSocket ?? globalThis.WebSocket,
    sleep: retry.sleep,
    random: retry.random,
  };
  return { ...methods, baseUrl, wallet, signIn, retry, channelPorts };
}
