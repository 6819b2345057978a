/** The measured endpoints: their requests, and whether an answer is the one that was recorded. */

import { getClientAddress, getToken } from "../server/identities.ts";
import type { Answer } from "./load.ts";
import { SLUG, type World } from "./world.ts";

export interface Endpoint {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly isAuthenticated: boolean;
  /** The part of a round's requests that it is asked for; left out: all of them. */
  readonly share?: number;
  /** Names the database of our side. */
  readonly fileName: string;
  /** Of the request with this number, with its query. */
  path(n: number): string;
  /** The bytes of a whole request. */
  createRequest(n: number): Buffer;
  /** `expected`: the first answer. */
  isRight(answer: Answer, expected: Answer): boolean;
  /** Called once the service listens. */
  prepare?(url: string): Promise<void>;
}

/** Enough for the limits of an address and a minute. */
const ADDRESSES = 4_096;

interface RequestOptions {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: object;
}

function toBytes({ method, path, headers, body }: RequestOptions): Buffer {
  const text = body === undefined ? "" : JSON.stringify(body);
  const bodyHeaders =
    body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(text)) };
  const lines = Object.entries({
    Host: "arcade.example",
    "User-Agent": "bench",
    Accept: "*/*",
    ...headers,
    ...bodyHeaders,
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, "", text].join("\r\n"));
}

/** The envelope starts with the id of the request, which differs. */
const ID_START = '{"ok":true,"requestId":"';
const ID_LENGTH = 36;
/** About this many answers are compared with the recorded one byte by byte, all others by status and length. */
const COMPARED_EVERY = 16;
let answers = 0;

function isSame({ status, body }: Answer, expected: Answer): boolean {
  if (status !== expected.status || body.length !== expected.body.length) return false;
  answers += 1;
  if (answers % COMPARED_EVERY !== 0) return true;
  const from = body.toString("latin1", 0, ID_START.length) === ID_START ? ID_START.length + ID_LENGTH : 0;
  return body.subarray(from).equals(expected.body.subarray(from));
}

/** A public read: the same request from many addresses. */
function createRead(name: string, path: string): Endpoint {
  const requests = Array.from({ length: ADDRESSES }, (_, n) =>
    toBytes({ method: "GET", path, headers: { "X-Forwarded-For": getClientAddress(n) } }),
  );
  return {
    name,
    method: "GET",
    isAuthenticated: false,
    fileName: name.replaceAll(/\W/g, "-"),
    path: () => path,
    createRequest: (n) => requests[n % ADDRESSES]!,
    isRight: isSame,
  };
}

/** A route with a token: each wallet asks from an address of its own. */
function createAuthenticated(
  name: string,
  { method, wallets }: { readonly method: "GET" | "POST"; readonly wallets: number },
  toPath: (n: number) => string,
  toBody?: (n: number) => object,
): Endpoint {
  const requests: Buffer[] = [];
  const createRequest = (n: number): Buffer =>
    toBytes({
      method,
      path: toPath(n),
      headers: { Authorization: `Bearer ${getToken(n)}`, "X-Forwarded-For": getClientAddress(n) },
      ...(toBody === undefined ? {} : { body: toBody(n) }),
    });
  return {
    name,
    method,
    isAuthenticated: true,
    fileName: name.replaceAll(/\W/g, "-"),
    path: toPath,
    createRequest: (n) => {
      const i = n % wallets;
      requests[i] ??= createRequest(i);
      return requests[i];
    },
    // The wallet in an answer differs, its length does not.
    isRight: ({ status, body }, expected) => status === expected.status && body.length === expected.body.length,
  };
}

/** Heartbeats of practice sessions, which wait 120 s for their player. */
function createHeartbeat({ wallets }: World): Endpoint {
  const sessionIds: string[] = [];
  const path = (n: number) => `/api/games/${SLUG}/sessions/${sessionIds[n]}/heartbeat`;
  const count = Math.min(100, wallets.length);
  return {
    ...createAuthenticated("heartbeat", { method: "POST", wallets: count }, path, (n) => ({
      walletAddress: wallets[n]!,
    })),
    // The seconds that are left have a varying number of digits.
    isRight: ({ status, body }) => status === 200 && body.includes('"phase":"ready"'),
    prepare: async (url) => {
      for (let n = 0; n < count; n++) {
        const response = await fetch(`${url}/api/games/${SLUG}/sessions/start`, {
          method: "POST",
          headers: {
            "Content-Type": "application/json",
            Authorization: `Bearer ${getToken(n)}`,
            "X-Forwarded-For": getClientAddress(n),
          },
          body: JSON.stringify({ source: "browser_ws" }),
        });
        const { sessionId, error } = (await response.json()) as { sessionId?: string; error?: string };
        if (sessionId === undefined) throw new Error(`no session to send heartbeats of: ${error}`);
        sessionIds.push(sessionId);
      }
    },
  };
}

export const createEndpoints = (world: World): readonly Endpoint[] => [
  // All rounds must end before its sessions, which wait 30 s for their players.
  { ...createRead("live", `/api/games/${SLUG}/sessions/live`), share: 0.5 },
  createRead("catalog", "/api/games/catalog"),
  createRead("leaderboard", `/api/leaderboard?game=${SLUG}`),
  createRead("runs", `/api/games/${SLUG}/runs`),
  createRead("agent-instructions", "/api/agent-instructions"),
  createRead("stats", "/api/stats/summary"),
  createRead("tokenomics", "/api/tokenomics/summary"),
  // An answer has hundreds of kilobytes.
  { ...createRead("openapi.json", "/openapi.json"), share: 0.1 },
  createAuthenticated(
    "auth/session",
    { method: "GET", wallets: world.wallets.length },
    () => `/api/games/${SLUG}/auth/session`,
  ),
  createHeartbeat(world),
];
