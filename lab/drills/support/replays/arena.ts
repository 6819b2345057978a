/** The service with its limits on, and helpers for the replay cases. Every request comes from a different address. */
import { text } from "node:stream/consumers";
import type { Hex } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import {
  type ApiResponse,
  type RequestOptions,
  startTestStack,
  type TestStack,
} from "../../../../test/helpers/suite.ts";
import { ShiftClock } from "../../../../test/http/support/shift-clock.ts";
import { createTestAccount } from "../../../../test/http/support/sign-in.ts";
import { TestSocket } from "../../../../test/live/test-socket.ts";
import { PATIENT_WITH_CHAIN } from "../drill.ts";

export const SLUGS = ["shellrunners", "flappybots"] as const;
export type Slug = (typeof SLUGS)[number];
export const otherSlug = (slug: string): Slug => (slug === SLUGS[0] ? SLUGS[1] : SLUGS[0]);

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

export interface PracticeSession {
  readonly sessionId: string;
  readonly playToken: string;
  readonly practiceToken: string;
  readonly wsUrl: string;
}

/** One replay case: what is reused, how, and the code that rejects it. */
export interface ReplayCase {
  readonly what: string;
  readonly how: string;
  readonly expected: string;
  /** Returns the error code; `accepted` if there is none. */
  readonly run: (arena: Arena) => Promise<string>;
}

export const getCode = ({ body }: ApiResponse): string => body.code ?? "accepted";

export class Arena {
  readonly stack: TestStack;
  readonly clock: ShiftClock;
  #visitors = 0;
  #accounts = 1000;

  private constructor(stack: TestStack, clock: ShiftClock) {
    this.stack = stack;
    this.clock = clock;
  }

  static async open(): Promise<Arena> {
    const clock = new ShiftClock();
    // A proxy reports the addresses of the requests.
    const env = { ...PATIENT_WITH_CHAIN, ARCADE_RATE_LIMITS: "on", ARCADE_TRUST_PROXY: "true" };
    return new Arena(await startTestStack({ clock, env }), clock);
  }

  close(): Promise<void> {
    return this.stack.close();
  }

  #nextAddress(): { readonly "X-Forwarded-For": string } {
    this.#visitors += 1;
    return { "X-Forwarded-For": `10.${this.#visitors >> 16}.${(this.#visitors >> 8) & 255}.${this.#visitors & 255}` };
  }

  nextAccount(): PrivateKeyAccount {
    this.#accounts += 1;
    return createTestAccount(this.#accounts);
  }

  call(method: "GET" | "POST", path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    return this.stack.request(method, path, { ...options, headers: this.#nextAddress() });
  }

  post(path: string, body: unknown, token?: string): Promise<ApiResponse> {
    return this.call("POST", path, { body, ...(token === undefined ? {} : { token }) });
  }

  async getMessage(slug: Slug, account: PrivateKeyAccount): Promise<string> {
    return (await this.post(`/api/games/${slug}/auth/nonce`, { walletAddress: account.address })).body.message;
  }

  verify(slug: Slug, message: string, signature: Hex): Promise<ApiResponse> {
    return this.post(`/api/games/${slug}/auth/verify`, { message, signature });
  }

  async signIn(slug: Slug, account = this.nextAccount()): Promise<Tokens> {
    const message = await this.getMessage(slug, account);
    const { body } = await this.verify(slug, message, await account.signMessage({ message }));
    return body;
  }

  signOut(slug: Slug, { accessToken }: Tokens): Promise<ApiResponse> {
    return this.post(`/api/games/${slug}/auth/sign-out`, {}, accessToken);
  }

  /** A practice session; of a wallet if it has a token. */
  async startPractice(slug: Slug, token?: string): Promise<PracticeSession> {
    const { body } = await this.post(`/api/games/${slug}/sessions/start`, { source: "browser_ws" }, token);
    return body;
  }

  endPractice(slug: Slug, { sessionId, practiceToken }: PracticeSession): Promise<ApiResponse> {
    return this.post(`/api/games/${slug}/sessions/${sessionId}/end`, {}, practiceToken);
  }

  async getToken(slug: Slug, kind: "play-token" | "spectate-token-public", session: PracticeSession): Promise<string> {
    const path = `/api/games/${slug}/sessions/${session.sessionId}/${kind}`;
    return (await this.post(path, {}, kind === "play-token" ? session.practiceToken : undefined)).body.token;
  }

  getChannelUrl(slug: Slug, role: "play" | "spectate", { sessionId }: Pick<PracticeSession, "sessionId">): string {
    return `${this.stack.httpUrl.replace("http", "ws")}/ws/${slug}/${role}?sessionId=${sessionId}`;
  }

  /** Opens a channel with a token. The close reason, the code of a rejected upgrade, or `accepted`. */
  async connect(url: string, token: string): Promise<string> {
    const socket = new TestSocket(url, { headers: this.#nextAddress() });
    const rejected = new Promise<string>((resolve) => {
      socket.ws.once("unexpected-response", (_, response) =>
        resolve(text(response).then((body) => JSON.parse(body).code)),
      );
    });
    socket.ws.once("open", () => socket.send({ t: "auth", token }));
    const outcome = await Promise.race([
      rejected,
      socket.waitForHello().then(
        () => "accepted",
        () => rejectedOrClosed(socket),
      ),
    ]);
    socket.ws.terminate();
    return outcome;
  }
}

/** A rejected upgrade also closes the socket (1006), but its response explains it. */
async function rejectedOrClosed(socket: TestSocket): Promise<string> {
  const { code, reason } = await socket.closed;
  return code === 1006 ? new Promise(() => {}) : reason;
}
