/** Requests of users during a drill's fault, with their responses and times. */
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { ERRORS, type ErrorCode } from "../../../domain/errors.ts";
import { type ApiResponse, type RequestOptions, sendRequest } from "../../../test/helpers/suite.ts";

export interface Probe {
  readonly what: string;
  /** When the request was sent (monotonic). */
  readonly startedMs: number;
  readonly ms: number;
  readonly status: number;
  /** The error code; null if the request succeeded. */
  readonly code: string | null;
  /** What is wrong with the form of the error response; null if nothing is. */
  readonly defect: string | null;
}

/** Checks that an error response matches the table of errors, including `Retry-After`. */
function findDefect({ status, body, headers }: ApiResponse): string | null {
  if (status < 400) return null;
  const row = ERRORS[body.code as ErrorCode] as (typeof ERRORS)[ErrorCode] | undefined;
  if (row === undefined) return `no code: ${JSON.stringify(body).slice(0, 200)}`;
  if (row.status !== status || row.retryable !== body.retryable) return `${body.code} is not what the table says`;
  if (status === 503 && !/^\d+$/.test(headers.get("retry-after") ?? "")) return `${body.code} without Retry-After`;
  return null;
}

export class Probes {
  readonly all: Probe[] = [];
  readonly #httpUrl: string;

  constructor(httpUrl: string) {
    this.#httpUrl = httpUrl;
  }

  /** Sends a request and notes its outcome. */
  async send(what: string, method: "GET" | "POST", path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    const startedMs = performance.now();
    const response = await sendRequest(this.#httpUrl, method, path, options);
    const { status, body } = response;
    const code = status < 400 ? null : String(body.code);
    this.all.push({ what, startedMs, ms: performance.now() - startedMs, status, code, defect: findDefect(response) });
    return response;
  }

  /** A fresh wallet signs in. Returns its access token; null if it could not. */
  async signIn(slug: string): Promise<string | null> {
    const account = privateKeyToAccount(generatePrivateKey());
    const body = { walletAddress: account.address };
    const nonce = await this.send("sign-in", "POST", `/api/games/${slug}/auth/nonce`, { body });
    if (nonce.status !== 200) return null;
    const { message } = nonce.body;
    const signature = await account.signMessage({ message });
    const verified = await this.send("sign-in", "POST", `/api/games/${slug}/auth/verify`, {
      body: { message, signature },
    });
    return verified.status === 200 ? verified.body.accessToken : null;
  }

  /** Starts a practice game and leaves it. */
  async practice(slug: string): Promise<void> {
    const path = `/api/games/${slug}/sessions`;
    const { status, body } = await this.send("play", "POST", `${path}/start`, { body: { source: "browser_ws" } });
    if (status !== 200) return;
    await this.send("play", "POST", `${path}/${body.sessionId}/end`, { token: body.practiceToken });
  }

  list(what: string): readonly Probe[] {
    return this.all.filter((probe) => probe.what === what);
  }
}

/** The count of each outcome, and the longest time: `200 x 7, CHAIN_UNAVAILABLE x 3, up to 1004 ms`. */
export function formatProbes(probes: readonly Probe[]): string {
  const counts = new Map<string, number>();
  for (const { status, code } of probes)
    counts.set(code ?? String(status), (counts.get(code ?? String(status)) ?? 0) + 1);
  const outcomes = [...counts].map(([outcome, count]) => `${outcome} x ${count}`);
  return `${outcomes.join(", ")}, up to ${Math.max(0, ...probes.map(({ ms }) => ms)).toFixed(0)} ms`;
}
