import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Hex } from "viem";
import { type WebSocket, WebSocketServer } from "ws";
import { listen } from "../backend/adapters/node/listen.ts";
import { isSocketUpgrade } from "../backend/ws/attach-sockets.ts";
import { quoteReceived } from "../domain/errors.ts";
import { isPrivateName, namesThisMachine } from "../domain/origins.ts";
import { decodeRevert } from "../domain/reverts.ts";
import type { LocalNode } from "./node.ts";
import { RpcError } from "./rpc-error.ts";

/** Maximum bytes of one request, batches included. */
const BODY_MAX = 5 * 1024 * 1024;
const BATCH_MAX = 1_000;

type RpcHandler = (method: string, params: readonly unknown[]) => Promise<unknown>;

interface RpcResponse {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** EDR's name for an error of an unknown contract. */
const UNRECOGNIZED = /an unrecognized custom error/;

/** The end of the engine's errors about params, with the reason before it. */
const UNREADABLE = /^(.*?)\.? at line \d+ column \d+$/s;
const COUNT = /^(?:invalid length \d+, expected tuple variant \S+|expected params sequence) with (?:length )?(\d+).*/s;

/** The words by which viem and ethers recognize errors of geth and anvil, before those of the engine. */
const NODE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Sender doesn't have enough funds/, "insufficient funds for gas * price + value"],
  [/is too low for the next block/, "max fee per gas less than block base fee"],
  [/^Transaction requires at least \d+ gas/, "intrinsic gas too low"],
];

const isUnknown = (error: unknown): boolean =>
  error instanceof Error && /^Method \S* is not supported$/.test(error.message);

const addNodeWords = (message: string): string => {
  const words = NODE_WORDS.find(([pattern]) => pattern.test(message))?.[1];
  return words === undefined ? message : `${words}: ${message}`;
};

function describeUnreadable(message: string, method: string, params: readonly unknown[]): string {
  const reason = UNREADABLE.exec(message)?.[1];
  if (reason === undefined) return addNodeWords(message);
  const received = quoteReceived(JSON.stringify(params));
  const text = reason.replace(COUNT, "it takes $1").replace("trailing characters", "it takes fewer");
  return `Expected params that fit ${method} (${text}), received ${received}`;
}

/**
 * JSON-RPC 2.0 error object, with the names of our contracts' errors. The revert data is where geth puts it, so that
 * every library decodes it.
 */
function toRpcError(error: unknown, method: string, params: readonly unknown[]): RpcResponse["error"] {
  if (isUnknown(error)) return { code: -32_601, message: `the method ${method} does not exist/is not available` };
  const { code, data } = error as { readonly code?: unknown; readonly data?: unknown };
  const hex = typeof data === "string" ? data : (data as { readonly data?: unknown } | null | undefined)?.data;
  const message = describeUnreadable(error instanceof Error ? error.message : String(error), method, params);
  const revert = typeof hex === "string" ? decodeRevert(hex as Hex) : null;
  return {
    code: typeof code === "number" ? code : -32_603,
    message: revert === null ? message : message.replace(UNRECOGNIZED, `custom error '${revert.text}'`),
    ...(typeof hex === "string" ? { data: hex } : {}),
  };
}

/** Null for a notification (a request without an id), which gets no answer. */
async function handleRequest(handle: RpcHandler, request: unknown): Promise<RpcResponse | null> {
  const { id = null, method, params: given } = (request ?? {}) as { id?: unknown; method?: unknown; params?: unknown };
  // Some libraries write null for "no params".
  const params = given ?? [];
  if (typeof method !== "string" || !Array.isArray(params)) {
    const received = quoteReceived(JSON.stringify(request));
    const error = {
      code: -32_600,
      message: `Expected an object with a method and a list of params, received ${received}`,
    };
    return { jsonrpc: "2.0", id, error };
  }
  const answer = await handle(method, params).then(
    // JSON would leave out `undefined`, and an answer needs a result.
    (result) => ({ result: result ?? null }),
    (error: unknown) => ({ error: toRpcError(error, method, params)! }),
  );
  return "id" in (request as object) ? { jsonrpc: "2.0", id, ...answer } : null;
}

/** Handles one body, single or batch. The response is JSON, or null if the body has notifications only. */
async function handleBody(handle: RpcHandler, body: string): Promise<string | null> {
  let request: unknown;
  try {
    request = JSON.parse(body);
  } catch {
    const error = { code: -32_700, message: `Expected a request in JSON, received ${quoteReceived(body)}` };
    return JSON.stringify({ jsonrpc: "2.0", id: null, error });
  }
  if (!Array.isArray(request)) {
    const answer = await handleRequest(handle, request);
    return answer === null ? null : JSON.stringify(answer);
  }
  if (request.length < 1 || request.length > BATCH_MAX) {
    const error = { code: -32_600, message: `Expected a batch of 1 to ${BATCH_MAX} requests` };
    return JSON.stringify({ jsonrpc: "2.0", id: null, error });
  }
  const answers = (await Promise.all(request.map((one) => handleRequest(handle, one)))).filter(
    (answer) => answer !== null,
  );
  return answers.length === 0 ? null : JSON.stringify(answers);
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_MAX) return null;
    chunks.push(chunk);
  }
  // Unlike `toString`, it drops a byte-order mark.
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Browser extensions, such as wallets, send requests from their own origins, which no site can fake. */
const EXTENSION = /^(?:chrome|moz|safari-web|ms-browser)-extension:$/;

/**
 * Why a request is rejected, or null. The node's accounts are unlocked: no page of another site may use them, neither
 * directly (`Origin`) nor under a name that its owner points at this machine (`Host`, DNS rebinding), and no page may
 * send what a browser sends without asking first (`text/plain`).
 */
function findRejection({ method, headers }: IncomingMessage): string | null {
  const { host = "", origin } = headers;
  const url = URL.parse(`http://${host}`);
  if (url === null || !isPrivateName(url.hostname))
    return `Expected a Host that is an IP address or a private name (localhost, arcade, arcade.internal), received ${quoteReceived(host)}`;
  if (origin === undefined) return null;
  const page = URL.parse(origin);
  if (page === null || !(EXTENSION.test(page.protocol) || namesThisMachine(page.hostname)))
    return "Expected a page of this machine, an extension of the browser, or no Origin";
  const isJson = /^application\/json\b/i.test(headers["content-type"] ?? "");
  return method === "POST" && !isJson ? "Expected Content-Type: application/json" : null;
}

/** Returns true for a POST to handle. Answers preflight requests and rejects other sites itself. */
export function admitRequest(request: IncomingMessage, response: ServerResponse): boolean {
  const rejection = findRejection(request);
  if (rejection !== null) {
    response.writeHead(403, { "Content-Type": "text/plain" }).end(rejection);
    return false;
  }
  const { origin } = request.headers;
  if (origin !== undefined) {
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Vary", "Origin");
    response.setHeader("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
    response.setHeader("Access-Control-Allow-Headers", "*");
    // Chrome asks before a page or an extension may reach a server on this machine.
    response.setHeader("Access-Control-Allow-Private-Network", "true");
  }
  if (request.method === "POST") return true;
  if (request.method === "OPTIONS") response.writeHead(204).end();
  // Scripts that wait for a node use this to check whether it is up.
  else if (request.method === "GET" || request.method === "HEAD")
    response.writeHead(200, { "Content-Type": "text/plain" }).end("JSON-RPC: send POST requests here.\n");
  else response.writeHead(405, { Allow: "GET, POST, OPTIONS" }).end();
  return false;
}

/** Notifications need a connection that stays open. */
const withoutSubscriptions =
  (handle: RpcHandler): RpcHandler =>
  async (method, params) => {
    if (method === "eth_subscribe")
      throw new RpcError(-32_601, "eth_subscribe needs a WebSocket: connect to ws:// at the same host and port");
    return handle(method, params);
  };

async function serveHttp(handle: RpcHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!admitRequest(request, response)) return;
  const body = await readBody(request);
  if (body === null) {
    const error = { code: -32_600, message: `Expected a request of at most ${BODY_MAX / 1024 / 1024} MiB` };
    const text = JSON.stringify({ jsonrpc: "2.0", id: null, error });
    return void response.writeHead(413, { "Content-Type": "application/json", Connection: "close" }).end(text);
  }
  const text = await handleBody(withoutSubscriptions(handle), body);
  if (text === null) response.writeHead(204).end();
  else response.setHeader("Content-Type", "application/json").end(text);
}

/** One WebSocket: requests, and the notifications of its subscriptions. */
function serveSocket(node: LocalNode, handle: RpcHandler, socket: WebSocket): void {
  const subscriptions = new Set<unknown>();
  const unsubscribe = node.onMessage((message) => {
    const { data } = message as { readonly data?: { readonly subscription?: unknown } };
    if (!subscriptions.has(data?.subscription) || socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: data }));
  });
  const handleSubscribing: RpcHandler = async (method, params) => {
    const result = await handle(method, params);
    if (method === "eth_subscribe") subscriptions.add(result);
    return result;
  };
  // The socket is closing then: with status 1009 if a message is too long, so that the client knows why.
  socket.on("error", () => undefined);
  const answer = async (body: string): Promise<void> => {
    const text = await handleBody(handleSubscribing, body);
    if (text !== null && socket.readyState === socket.OPEN) socket.send(text);
  };
  socket.on("message", (bytes) => void answer(String(bytes)));
  socket.on("close", () => {
    unsubscribe();
    for (const id of subscriptions) void node.request("eth_unsubscribe", [id]).catch(() => undefined);
  });
}

export interface RpcServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves JSON-RPC over HTTP and WebSocket on one port of `host`. Hardhat's server is not used because a malformed frame
 * ends its process. Throws if the port is busy.
 */
export async function serveRpc(options: {
  readonly node: LocalNode;
  readonly handle: RpcHandler;
  readonly host: string;
  readonly port: number;
  /** `next` tries the ports after a busy one. */
  readonly whenBusy: "fail" | "next";
}): Promise<RpcServer> {
  const server: Server = createServer({ shouldUpgradeCallback: isSocketUpgrade }, (request, response) => {
    serveHttp(options.handle, request, response).catch(() => response.destroy());
  });
  const sockets = new WebSocketServer({
    server,
    maxPayload: BODY_MAX,
    verifyClient: ({ req }: { req: IncomingMessage }) => findRejection(req) === null,
  });
  sockets.on("connection", (socket) => serveSocket(options.node, options.handle, socket));
  // The HTTP server reports the same error.
  sockets.on("error", () => undefined);
  const port = await listen(server, { ...options, portVariable: "ARCADE_RPC_PORT" });
  server.on("error", () => undefined);
  return {
    port,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
