/** A client that knows only the protocol's list of tools: plain JSON-RPC over HTTP or over a process. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { NoPointsError, untilPoints } from "../helpers/until-points.ts";

export interface ToolResult {
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests read results freely
  readonly body: any;
}

export interface McpClient {
  calls: number;
  request(method: string, params?: object): Promise<{ readonly result?: unknown; readonly error?: unknown }>;
  call(name: string, input?: object): Promise<ToolResult>;
}

type Send = (message: object) => Promise<{ readonly result?: unknown; readonly error?: unknown }>;

const PROTOCOL_VERSION = "2025-06-18";

function createMcpClient(send: Send): McpClient {
  let id = 0;
  const client: McpClient = {
    calls: 0,
    request: (method, params = {}) => send({ jsonrpc: "2.0", id: ++id, method, params }),
    async call(name, input = {}) {
      client.calls += 1;
      const { result, error } = await client.request("tools/call", { name, arguments: input });
      if (result === undefined) return { isError: true, body: error };
      const {
        isError = false,
        structuredContent,
        content,
      } = result as {
        isError?: boolean;
        structuredContent?: unknown;
        content: readonly { readonly text: string }[];
      };
      return { isError, body: structuredContent ?? content[0]?.text };
    },
  };
  return client;
}

/** The last message of a response: JSON, or the data of the last server-sent event. */
function parseResponse(text: string): { readonly result?: unknown } {
  const events = text.split("\n").filter((line) => line.startsWith("data: "));
  return JSON.parse(events.at(-1)?.slice("data: ".length) ?? text) as { result?: unknown };
}

export async function postMcp(
  url: string,
  message: object,
  headers: { readonly [name: string]: string } = {},
): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": PROTOCOL_VERSION,
      ...headers,
    },
    body: JSON.stringify(message),
  });
}

/** Over HTTP. `getToken` is called before each request. */
export const createHttpMcpClient = (
  url: string,
  getToken: () => string | null = () => null,
  headers: { readonly [name: string]: string } = {},
): McpClient =>
  createMcpClient(async (message) => {
    const token = getToken();
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await postMcp(url, message, { ...headers, ...authorization });
    return parseResponse(await response.text());
  });

/** Over the pipes of a process. */
export async function createStdioMcpClient(child: ChildProcess): Promise<McpClient> {
  const waiting = new Map<unknown, (message: { readonly result?: unknown }) => void>();
  createInterface({ input: child.stdout! }).on("line", (line) => {
    const message = JSON.parse(line) as { readonly id?: unknown; readonly result?: unknown };
    waiting.get(message.id)?.(message);
  });
  const exited = once(child, "exit").then(([code]) => {
    throw new Error(`the server ended with ${code}`);
  });
  exited.catch(() => {});
  const client = createMcpClient((message) => {
    const answer = new Promise<{ readonly result?: unknown }>((resolve) => {
      waiting.set((message as { id: number }).id, resolve);
    });
    child.stdin!.write(`${JSON.stringify(message)}\n`);
    return Promise.race([answer, exited]);
  });
  const clientInfo = { name: "scripted", version: "1" };
  await client.request("initialize", { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo });
  child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return client;
}

interface ListedTool {
  readonly name: string;
  readonly inputSchema: {
    readonly properties?: { readonly [name: string]: object };
    readonly required?: readonly string[];
  };
}

/**
 * A caller that knows only `tools/list`: it fills the inputs whose names are among `facts`, and requires those that the
 * schema requires. A fact becomes undefined once it is used.
 */
export async function createListedCaller(client: McpClient, facts: { [name: string]: unknown }) {
  const { result } = await client.request("tools/list");
  const { tools } = result as { readonly tools: readonly ListedTool[] };
  return async (name: string): Promise<ToolResult["body"]> => {
    const tool = tools.find((listed) => listed.name === name);
    if (tool === undefined) throw new Error(`tools/list has no ${name}`);
    const { properties = {}, required = [] } = tool.inputSchema;
    const missing = required.filter((field) => facts[field] === undefined);
    if (missing.length > 0) throw new Error(`${name} requires ${missing.join(", ")}`);
    const known = Object.keys(properties).filter((field) => facts[field] !== undefined);
    const { isError, body } = await client.call(name, Object.fromEntries(known.map((field) => [field, facts[field]])));
    if (isError) throw new Error(`${name}: ${JSON.stringify(body).slice(0, 400)}`);
    return body;
  };
}

/** Plays until a run has points. `extraCalls`: the calls of earlier runs. */
export async function playUntilPoints(client: McpClient, play: () => Promise<ToolResult["body"]>) {
  let extraCalls = 0;
  const played = await untilPoints(async () => {
    const callsBefore = client.calls;
    const view = await play();
    if (view.score > 0) return view;
    extraCalls += client.calls - callsBefore;
    throw new NoPointsError(view.endReason);
  });
  return { played, extraCalls };
}
