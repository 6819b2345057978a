/** A small service on a free port whose answers a test writes itself: for faults that the real one does not make. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket as ServerSocket, WebSocketServer } from "ws";
import { type ClientOptions, createClient } from "../../client/client.ts";
import type { Credentials } from "../../client/types.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";

export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly token: string | null;
  readonly idempotencyKey: string | null;
  readonly body: Record<string, unknown>;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: object | string;
  /** The connection is cut without an answer. */
  readonly cut?: true;
}

/** `"POST /path"` → what to answer; a function sees the request and how often the route was asked (from 1). */
export type Script = { [route: string]: (heard: Heard, times: number) => Reply | Promise<Reply> };

export const problem = (status: number, code: string, fields: object = {}, headers: Reply["headers"] = {}): Reply => ({
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

export async function startFakeService(script: Script = {}) {
  const heard: Heard[] = [];
  const counts = new Map<string, number>();
  let onSocket: (socket: ServerSocket, token: string, times: number) => void = (socket) =>
    socket.close(4004, "SESSION_ENDED");
  let sockets = 0;

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://service");
    const route = `${request.method} ${pathname}`;
    const one: Heard = {
      method: request.method ?? "",
      path: pathname,
      token: request.headers.authorization?.replace("Bearer ", "") ?? null,
      idempotencyKey: (request.headers["idempotency-key"] as string | undefined) ?? null,
      body: await readBody(request),
    };
    heard.push(one);
    const times = (counts.get(route) ?? 0) + 1;
    counts.set(route, times);
    const reply = (await script[route]?.(one, times)) ?? problem(404, "NOT_FOUND");
    if (reply.cut) {
      request.socket.destroy();
      return;
    }
    response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
    response.end(typeof reply.body === "string" ? reply.body : JSON.stringify({ ok: true, ...reply.body }));
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
    heard,
    timesOf: (route: string): number => counts.get(route) ?? 0,
    sockets: (): number => sockets,
    /** What a socket meets after its `auth`; `times` counts sockets from 1. */
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

/** Waits that a client asked for, none of which takes any time. */
export function fakeTime() {
  const waits: number[] = [];
  return {
    waits,
    sleep: async (ms: number): Promise<void> => {
      waits.push(ms);
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

export const credentials = (name: string, lifeMs: number, nowMs = Date.now()): Credentials => ({
  accessToken: `aa_${name}`,
  refreshToken: `ar_${name}`,
  tokenType: "Bearer",
  accessExpiresAt: new Date(nowMs + lifeMs).toISOString(),
  refreshExpiresAt: new Date(nowMs + 10 * lifeMs).toISOString(),
  walletAddress: WALLET,
  agentId: null,
});

/** A script that signs in as `aa_first`, `aa_second`, … */
export const signInScript = (lifeMs = 3_600_000): Script => ({
  "POST /api/games/shellrunners/auth/nonce": () => ({ body: { message: "sign me" } }),
  "POST /api/games/shellrunners/auth/verify": (_, times) => ({ body: credentials(`signed${times}`, lifeMs) }),
});

export function clientOf(service: FakeService, options: Partial<ClientOptions> = {}) {
  const time = fakeTime();
  const client = createClient({ baseUrl: service.url, ...options, retry: { sleep: time.sleep, ...options.retry } });
  return { client, waits: time.waits };
}
