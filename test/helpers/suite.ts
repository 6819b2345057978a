import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeLog } from "../../backend/adapters/log.ts";
import { readConfig, readSecrets } from "../../backend/config/config.ts";
import { gameList as builtIn, type GameList } from "../../backend/games/index.ts";
import type { Clock, Log } from "../../backend/ports.ts";
import { buildContracts } from "../../scripts/start/build.ts";
import { type Stack, startStack } from "../../scripts/start/stack.ts";

export interface Suite extends Stack {
  readonly dataDir: string;
  readonly httpUrl: string;
  /** A JSON request; answers status, headers and body. */
  request(method: "GET" | "POST", path: string, options?: RequestOptions): Promise<Answer>;
}

export interface RequestOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into answers freely; the schemas are held by the pipeline itself on the local chain.
  // biome-ignore lint/suspicious/noExplicitAny: an answer is whatever came
  readonly body: any;
}

export async function sendRequest(
  baseUrl: string,
  method: "GET" | "POST",
  path: string,
  options: RequestOptions = {},
): Promise<Answer> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      ...(method === "POST" ? { "Content-Type": "application/json" } : {}),
      ...(options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` }),
      ...options.headers,
    },
    ...(method === "POST"
      ? { body: typeof options.body === "string" ? options.body : JSON.stringify(options.body ?? {}) }
      : {}),
  });
  const text = await response.text();
  let body: unknown = text;
  if (/json/.test(response.headers.get("content-type") ?? "")) body = JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
}

/** Chain, contracts, store and server on free ports in a temporary folder; `close` leaves nothing behind. */
export async function startSuite(
  options: {
    readonly env?: { readonly [name: string]: string };
    readonly clock?: Clock;
    /** Absent: nothing is written. */
    readonly log?: Log;
    readonly dataDir?: string;
    readonly gameList?: GameList;
  } = {},
): Promise<Suite> {
  await buildContracts();
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "arcade-suite-")));
  const environment = { ARCADE_DATA_DIR: dataDir, ARCADE_PORT: "0", ARCADE_RPC_PORT: "0", ...options.env };
  const { games } = options.gameList ?? builtIn;
  const stack = await startStack({
    config: readConfig(environment, games),
    secrets: readSecrets(environment, games),
    log: options.log ?? makeLog("silent"),
    webDir: null,
    pollMs: 25,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.gameList === undefined ? {} : { gameList: options.gameList }),
  });
  return {
    ...stack,
    dataDir,
    httpUrl: stack.app.httpUrl,
    request: (method, path, request) => sendRequest(stack.app.httpUrl, method, path, request),
    close: async () => {
      await stack.close();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
