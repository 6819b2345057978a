/** Chain, contracts, store and server in one process, on free ports and in a temporary folder. */
import { createLog } from "../backend/adapters/system/log.ts";
import { openThreadPool, type ThreadPool } from "../backend/adapters/worker/worker.ts";
import { readConfig, readSecrets } from "../backend/config/config.ts";
import type { Doctor } from "../backend/ports/doctor.ts";
import type { Clock, Log } from "../backend/ports/system.ts";
import { gameList as builtIn, type GameList } from "../games/index.ts";
import { type DevStack, type DevStackOptions, startDevStack } from "../local-chain/dev-stack.ts";
import { copyTemplate } from "./images.ts";
import { createTempFolder } from "./temp-folder.ts";

/** Shared by the stacks of a process: a worker thread takes a quarter of a second to load its modules. */
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
  /** Without it no log is written. */
  readonly log?: Log;
  readonly dataDir?: string;
  readonly gameList?: GameList;
  readonly doctor?: Doctor;
  /** Folder of the built site; without it no site is served. */
  readonly webDir?: string;
  readonly isDeployed?: boolean;
  readonly testSessions?: NonNullable<DevStackOptions["testSessions"]>;
  readonly getBlockTime?: () => number;
}

/** Chain, contracts, store and server on free ports in a temporary folder; `close` removes everything. */
export async function startTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const folder = options.dataDir === undefined ? await createTempFolder() : null;
  const dataDir = options.dataDir ?? folder!.path;
  const environment = {
    ARCADE_DATA_DIR: dataDir,
    ARCADE_PORT: "0",
    ARCADE_RPC_PORT: "0",
    ARCADE_DEMO_AGENTS: "off",
    // Generous, because tests share few cores; test/flows/node-away.slow.ts tests the real limit.
    ARCADE_CHAIN_WAIT_MS: "10000",
    ARCADE_CHAIN_POLL_MS: "25",
    ...options.env,
  };
  const gameList = options.gameList ?? builtIn;
  const { games } = gameList;
  if (options.getBlockTime === undefined) await copyTemplate(dataDir, environment, gameList);
  threadPool ??= openThreadPool();
  const stack = await startDevStack({
    config: readConfig(environment, games),
    secrets: readSecrets(environment, games),
    log: options.log ?? createLog("silent"),
    webDir: options.webDir ?? null,
    threadPool,
    gameList,
    isDeployed: options.isDeployed === true,
    ...(options.getBlockTime === undefined ? {} : { getBlockTime: options.getBlockTime }),
    ...(options.testSessions === undefined ? {} : { testSessions: options.testSessions }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.doctor === undefined ? {} : { doctor: options.doctor }),
  });
  const { httpUrl } = stack.app;
  return {
    ...stack,
    get app() {
      return stack.app;
    },
    dataDir,
    httpUrl,
    request: (method, path, request) => sendRequest(httpUrl, method, path, request),
    close: async () => {
      await stack.close();
      await folder?.remove();
    },
  };
}
