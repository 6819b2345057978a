import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../backend/adapters/system/log.ts";
import { openThreadPool, type ThreadPool } from "../../backend/adapters/worker/worker.ts";
import { readConfig, readSecrets } from "../../backend/config/config.ts";
import type { Doctor } from "../../backend/ports/doctor.ts";
import type { Clock, Log } from "../../backend/ports/system.ts";
import { gameList as builtIn, type GameList } from "../../games/index.ts";
import { type DevStack, startDevStack } from "../../local-chain/dev-stack.ts";
import { useShared } from "./fixture.ts";
import { copyTemplate } from "./template.ts";

/** The stacks of a process share it: a thread loads its modules in a quarter of a second. */
let threadPool: ThreadPool | undefined;

export interface TestStack extends DevStack {
  readonly dataDir: string;
  readonly httpUrl: string;
  /** Sends a JSON request; returns status, headers and body. */
  request(method: "GET" | "POST", path: string, options?: RequestOptions): Promise<ApiResponse>;
}

export interface RequestOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: { readonly [name: string]: string };
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // Untyped for tests; on the local chain the pipeline checks every response against its schema.
  // biome-ignore lint/suspicious/noExplicitAny: a response body of any route
  readonly body: any;
}

export async function sendRequest(
  baseUrl: string,
  method: "GET" | "POST",
  path: string,
  options: RequestOptions = {},
): Promise<ApiResponse> {
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

export interface TestStackOptions {
  readonly env?: { readonly [name: string]: string };
  readonly clock?: Clock;
  /** Absent: no log is written. */
  readonly log?: Log;
  readonly dataDir?: string;
  readonly gameList?: GameList;
  readonly doctor?: Doctor;
  /** Folder of the built site; absent: none is served. */
  readonly webDir?: string;
}

/** Chain, contracts, store and server on free ports in a temporary folder; `close` removes everything. */
export async function startTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "arcade-suite-")));
  const environment = {
    ARCADE_DATA_DIR: dataDir,
    ARCADE_PORT: "0",
    ARCADE_RPC_PORT: "0",
    ARCADE_HOUSE_AGENTS: "off",
    // Tests run beside others on few cores; test/flows/node-away.slow.ts shows the limit of requests that ask the node.
    ARCADE_CHAIN_WAIT_MS: "10000",
    ...options.env,
  };
  const gameList = options.gameList ?? builtIn;
  const { games } = gameList;
  await copyTemplate(dataDir, environment, gameList);
  threadPool ??= openThreadPool();
  const stack = await startDevStack({
    config: readConfig(environment, games),
    secrets: readSecrets(environment, games),
    log: options.log ?? createLog("silent"),
    webDir: options.webDir ?? null,
    pollMs: 25,
    threadPool,
    gameList,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.doctor === undefined ? {} : { doctor: options.doctor }),
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

/** Declares a stack for the tests of the block, which starts before them and is closed after them. */
export const useTestStack = (options?: TestStackOptions, close?: (stack: TestStack) => Promise<void>): TestStack =>
  useShared(() => startTestStack(options), close);
