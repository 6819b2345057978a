import type { ServerResponse } from "node:http";
import { startServer } from "../../helpers/http-server.ts";

/**
 * How a node can fail: `black-hole` never responds, `endless` begins a response and never ends it, `one-error` gives one
 * JSON-RPC error for a whole request, `error-400` the same with an HTTP status that rejects the request.
 */
export type NodeFailure =
  | "none"
  | "black-hole"
  | "endless"
  | "error-400"
  | "error-502"
  | "one-error"
  | "not-json"
  | "rpc-error"
  | "cut"
  | "other-chain";

interface Request {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** The most bytes that a call without a contract may return (EIP-170). */
const CODE_BYTES_MAX = 24_576;

/** go-ethereum's response to calls without a contract whose result is longer than a contract's code may be. */
const limitCodeSize: Intercept = ({ method, params }, response) => {
  const call = params?.[0] as { readonly to?: string } | undefined;
  if (method !== "eth_call" || call?.to !== undefined) return response;
  const isTooLong = String(response.result ?? "").length / 2 - 1 > CODE_BYTES_MAX;
  const isRejected = /code is too large/.test(response.error?.message ?? "");
  if (!isTooLong && !isRejected) return response;
  return { id: response.id, error: { code: -32_000, message: "max code size exceeded" } };
};

interface Response {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Replaces a node's response to one call. */
export type Intercept = (request: Request, response: Response) => Response;

function replaceResponses(intercept: Intercept, requests: readonly Request[], text: string): string {
  const parsed = JSON.parse(text) as Response | readonly Response[];
  const replace = (response: Response): Response =>
    intercept(requests.find(({ id }) => id === response.id) ?? requests[0]!, response);
  return JSON.stringify(Array.isArray(parsed) ? parsed.map(replace) : replace(parsed as Response));
}

/** A node in front of a real one, with switches that inject failures and a count of the requests that passed. */
export async function startFaultyNode(target: string) {
  let failure: NodeFailure = "none";
  let failNext = 0;
  let delayMs = 0;
  let requests = 0;
  let dropSends = false;
  let refusal: string | null = null;
  let limitsCodeSize = false;
  let batchMax = Number.POSITIVE_INFINITY;
  let rejectedBatches = 0;
  let intercept: Intercept | null = null;
  const calls: Request[] = [];
  let onSend: () => Promise<void> = async () => undefined;

  function respondWithFailure(response: ServerResponse, body: Request | readonly Request[]): boolean {
    const active = failNext > 0 ? "error-502" : failure;
    if (failNext > 0) failNext -= 1;
    if (active === "none" || active === "other-chain") return false;
    if (active === "endless") response.writeHead(200).write("{");
    if (active === "error-400" || active === "one-error") {
      const error = { code: -32_600, message: "boom" };
      response.writeHead(active === "one-error" ? 200 : 400).end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
    }
    if (active === "error-502") response.writeHead(502).end("bad gateway");
    if (active === "not-json") response.writeHead(200).end("<html>");
    if (active === "cut") response.destroy();
    if (active === "rpc-error") {
      const handleRequest = ({ id }: Request) => ({ jsonrpc: "2.0", id, error: { code: -32_603, message: "boom" } });
      response.end(JSON.stringify(Array.isArray(body) ? body.map(handleRequest) : handleRequest(body as Request)));
    }
    return true;
  }

  const { url, close } = await startServer(async (text, response) => {
    requests += 1;
    const body = JSON.parse(text) as Request | readonly Request[];
    const all: readonly Request[] = Array.isArray(body) ? body : [body as Request];
    calls.push(...all);
    if (respondWithFailure(response, body)) return;
    if (all.length > batchMax) {
      rejectedBatches += 1;
      const error = { code: -32_600, message: "batch too large" };
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
    }
    if (all.some(({ method }) => method === "eth_sendRawTransaction")) {
      await onSend();
      if (dropSends) return void response.destroy();
      if (refusal !== null) {
        const refuse = ({ id }: Request) => ({ jsonrpc: "2.0", id, error: { code: -32_000, message: refusal } });
        return void response.end(JSON.stringify(Array.isArray(body) ? all.map(refuse) : refuse(body as Request)));
      }
    }
    let upstreamText = await (
      await fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body: text })
    ).text();
    if (failure === "other-chain") upstreamText = upstreamText.replaceAll('"0x7a69"', '"0x1"');
    if (limitsCodeSize) upstreamText = replaceResponses(limitCodeSize, all, upstreamText);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    response.end(intercept === null ? upstreamText : replaceResponses(intercept, all, upstreamText));
  });

  return {
    url,
    close,
    setFailure: (next: NodeFailure): void => {
      failure = next;
    },
    /** This number of requests is answered with 502. */
    failNext: (count: number): void => {
      failNext = count;
    },
    /** Requests that would send a transaction are cut off before they reach the chain. */
    dropSends: (isDropped: boolean): void => {
      dropSends = isDropped;
    },
    /** Requests that would send a transaction are answered with a JSON-RPC error of this text; null: they pass. */
    refuseSends: (message: string | null): void => {
      refusal = message;
    },
    /** Longer batches are answered with one JSON-RPC error. */
    rejectBatchesAbove: (length: number): void => {
      batchMax = length;
    },
    rejectedBatches: (): number => rejectedBatches,
    /** Calls without a contract fail as at go-ethereum where their result is longer than a contract's code may be. */
    limitCodeSize: (isLimited: boolean): void => {
      limitsCodeSize = isLimited;
    },
    /** Runs before a transaction is passed to the chain. */
    onSend: (run: () => Promise<void>): void => {
      onSend = run;
    },
    requests: (): number => requests,
    /** The calls that have arrived, also those that failed. */
    calls: (): readonly Request[] => calls,
    /** Every response is late by this time. */
    delay: (ms: number): void => {
      delayMs = ms;
    },
    /** Replaces single responses of the node behind. */
    intercept: (next: Intercept | null): void => {
      intercept = next;
    },
  };
}
