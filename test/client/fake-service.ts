/** A small service with responses defined by a test, for failures that the real service does not produce. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket as ServerSocket, WebSocketServer } from "ws";
import type { Credentials } from "../../client/api.ts";
import { type ClientOptions, createClient } from "../../client/client.ts";
import type { ArcadeContracts } from "../../client/contracts.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import { toSignInStatement } from "../../domain/auth.ts";
import { formatSignInMessage } from "../../domain/sign-in-message.ts";

export interface RecordedRequest {
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly token: string | null;
  readonly idempotencyKey: string | null;
  readonly body: Record<string, unknown>;
}

export interface FakeResponse {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: object | string;
  /** Cuts the connection without a response. */
  readonly cut?: true;
}

/** `"POST /path"` → the response; a function gets the request and the number of requests to the route (from 1). */
export type ResponseScript = {
  [route: string]: (request: RecordedRequest, times: number) => FakeResponse | Promise<FakeResponse>;
};

export const createProblem = (
  status: number,
  code: string,
  fields: object = {},
  headers: FakeResponse["headers"] = {},
): FakeResponse => ({
  status,
  headers,
  body: { ok: false, code, error: `because of ${code}`, requestId: "request-1", status, ...fields },
});

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

export async function startFakeService(script: ResponseScript = {}) {
  const requests: RecordedRequest[] = [];
  const counts = new Map<string, number>();
  let onSocket: (socket: ServerSocket, token: string, times: number) => void = (socket) =>
    socket.close(4004, "SESSION_ENDED");
  let sockets = 0;

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://service");
    const route = `${request.method} ${pathname}`;
    const recorded: RecordedRequest = {
      host: request.headers.host ?? "",
      method: request.method ?? "",
      path: pathname,
      token: request.headers.authorization?.replace("Bearer ", "") ?? null,
      idempotencyKey: (request.headers["idempotency-key"] as string | undefined) ?? null,
      body: await readBody(request),
    };
    requests.push(recorded);
    const times = (counts.get(route) ?? 0) + 1;
    counts.set(route, times);
    const fakeResponse = (await script[route]?.(recorded, times)) ?? createProblem(404, "NOT_FOUND");
    if (fakeResponse.cut) {
      request.socket.destroy();
      return;
    }
    response.writeHead(fakeResponse.status ?? 200, { "content-type": "application/json", ...fakeResponse.headers });
    response.end(
      typeof fakeResponse.body === "string" ? fakeResponse.body : JSON.stringify({ ok: true, ...fakeResponse.body }),
    );
  });
  const channel = new WebSocketServer({ server });
  channel.on("connection", (socket) => {
    const times = ++sockets;
    socket.on("error", () => {});
    socket.once("message", (data) => onSocket(socket, (JSON.parse(String(data)) as { token: string }).token, times));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}/ws`,
    script,
    requests,
    countRequests: (route: string): number => counts.get(route) ?? 0,
    sockets: (): number => sockets,
    /** The behavior of a socket after its `auth`; `times` counts sockets from 1. */
    onSocket(handler: typeof onSocket): void {
      onSocket = handler;
    },
    async close(): Promise<void> {
      for (const socket of channel.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type FakeService = Awaited<ReturnType<typeof startFakeService>>;

/** Records the delays that a client requests, and resolves them at once. */
function createFakeTimer() {
  const delaysMs: number[] = [];
  return {
    delaysMs,
    sleep: async (ms: number): Promise<void> => {
      delaysMs.push(ms);
    },
  };
}

export const WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

export const fakeWallet: ArcadeWallet = {
  address: WALLET,
  signMessage: async () => "0x51",
  sendCall: async () => ({ txHash: "0x77" }),
  waitForReceipt: async (txHash) => ({ txHash, status: "success", gasUsed: 1n, gasPrice: 1n, block: 1 }),
};

export const createCredentials = (name: string, lifeMs: number, nowMs = Date.now()): Credentials => ({
  accessToken: `aa_${name}`,
  refreshToken: `ar_${name}`,
  tokenType: "Bearer",
  accessExpiresAt: new Date(nowMs + lifeMs).toISOString(),
  refreshExpiresAt: new Date(nowMs + 10 * lifeMs).toISOString(),
  walletAddress: WALLET,
  agentId: null,
});

function createNonceResponse(host: string) {
  const nonce = "0".repeat(32);
  const [origin, nowMs] = [`http://${host}`, Date.now()];
  const message = formatSignInMessage({
    origin,
    address: WALLET,
    statement: toSignInStatement("shellrunners"),
    uri: origin,
    chainId: 31337,
    nonce,
    issuedAt: new Date(nowMs).toISOString(),
    expirationTime: new Date(nowMs + 300_000).toISOString(),
  });
  return { message, nonce };
}

/** The contracts that a client of the fake service knows. */
export const CONTRACTS: ArcadeContracts = {
  chainId: 31337,
  identity: "0x0000000000000000000000000000000000001D00",
  rewards: "0x0000000000000000000000000000000000005C00",
  nft: { flappybots: "0x000000000000000000000000000000000000F1a9" },
};

/** A script that signs in as `aa_first`, `aa_second`, … */
export const createSignInScript = (lifeMs = 3_600_000): ResponseScript => ({
  "POST /api/games/shellrunners/auth/nonce": ({ host }) => ({ body: createNonceResponse(host) }),
  "POST /api/games/shellrunners/auth/verify": (_, times) => ({ body: createCredentials(`signed${times}`, lifeMs) }),
});

export function createServiceClient(service: FakeService, options: Partial<ClientOptions> = {}) {
  const time = createFakeTimer();
  const client = createClient({
    baseUrl: service.url,
    contracts: CONTRACTS,
    ...options,
    retry: { sleep: time.sleep, ...options.retry },
  });
  return { client, delaysMs: time.delaysMs };
}
