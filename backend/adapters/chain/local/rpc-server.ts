import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { type LocalNode, RpcError } from "./node.ts";

/** Bytes of one request, batches included. */
const BODY_MAX = 5 * 1024 * 1024;
const BATCH_MAX = 1_000;

type Handle = (method: string, params: readonly unknown[]) => Promise<unknown>;

interface RpcResponse {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** JSON-RPC 2.0 error object; the revert data stands where geth puts it, so that every library decodes it. */
function describeError(error: unknown): RpcResponse["error"] {
  const { code, data } = error as { readonly code?: unknown; readonly data?: unknown };
  const hex = typeof data === "string" ? data : (data as { readonly data?: unknown } | null | undefined)?.data;
  return {
    code: typeof code === "number" ? code : -32_603,
    message: error instanceof Error ? error.message : String(error),
    ...(typeof hex === "string" ? { data: hex } : {}),
  };
}

async function answerOne(handle: Handle, request: unknown): Promise<RpcResponse> {
  const { id = null, method, params = [] } = (request ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
  try {
    if (typeof method !== "string" || !Array.isArray(params)) {
      throw new RpcError(-32_600, "Expected an object with a method and a list of params");
    }
    return { jsonrpc: "2.0", id, result: await handle(method, params) };
  } catch (error) {
    return { jsonrpc: "2.0", id, error: describeError(error)! };
  }
}

/** Answers one body, single or batch, always with JSON. */
async function answer(handle: Handle, body: string): Promise<string> {
  let request: unknown;
  try {
    request = JSON.parse(body);
  } catch {
    return JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_700, message: "The body is not JSON" } });
  }
  if (!Array.isArray(request)) return JSON.stringify(await answerOne(handle, request));
  if (request.length > BATCH_MAX) {
    const error = { code: -32_600, message: `A batch may hold ${BATCH_MAX} requests` };
    return JSON.stringify({ jsonrpc: "2.0", id: null, error });
  }
  return JSON.stringify(await Promise.all(request.map((one) => answerOne(handle, one))));
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function serveHttp(handle: Handle, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Allow-Methods", "POST, OPTIONS");
  response.setHeader("Access-Control-Allow-Headers", "*");
  if (request.method === "OPTIONS") return void response.writeHead(204).end();
  if (request.method !== "POST") return void response.writeHead(405, { Allow: "POST, OPTIONS" }).end();
  const body = await readBody(request);
  if (body === null) return void response.writeHead(413, { Connection: "close" }).end();
  const text = await answer(handle, body);
  response.writeHead(200, { "Content-Type": "application/json" }).end(text);
}

/** One WebSocket: the same requests, and the notifications of its own subscriptions. */
function serveSocket(node: LocalNode, handle: Handle, socket: WebSocket): void {
  const subscriptions = new Set<unknown>();
  const stop = node.onMessage((message) => {
    const { data } = message as { readonly data?: { readonly subscription?: unknown } };
    if (!subscriptions.has(data?.subscription) || socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: data }));
  });
  const own: Handle = async (method, params) => {
    const result = await handle(method, params);
    if (method === "eth_subscribe") subscriptions.add(result);
    return result;
  };
  socket.on("error", () => socket.terminate());
  socket.on("message", async (bytes) => {
    const text = await answer(own, String(bytes));
    if (socket.readyState === socket.OPEN) socket.send(text);
  });
  socket.on("close", () => {
    stop();
    for (const id of subscriptions) void node.request("eth_unsubscribe", [id]).catch(() => undefined);
  });
}

export interface RpcServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves JSON-RPC over HTTP and WebSocket on one port of `host`. Hardhat's own server would end the process at the
 * first malformed frame or busy port, because it listens for neither error.
 * Rejects with `EADDRINUSE` when the port is taken.
 */
export async function serveRpc(options: {
  readonly node: LocalNode;
  readonly handle: Handle;
  readonly host: string;
  readonly port: number;
}): Promise<RpcServer> {
  const server: Server = createServer((request, response) => {
    serveHttp(options.handle, request, response).catch(() => response.destroy());
  });
  const sockets = new WebSocketServer({ server, maxPayload: BODY_MAX });
  sockets.on("connection", (socket) => serveSocket(options.node, options.handle, socket));
  // The same error arrives at the HTTP server, whose listener below reports it.
  sockets.on("error", () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, () => {
      server.off("error", reject);
      server.on("error", () => undefined);
      resolve();
    });
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : options.port,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
