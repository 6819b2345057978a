/** The HTTP connection to a node. Its errors never contain the node's URL, which may contain an access key. */
import { BaseError, createTransport, type EIP1193RequestFn, type HttpTransport } from "viem";
import { RpcBatches, type RpcCall } from "./rpc-batches.ts";

const BATCH_SIZE = 20;
const PLACEHOLDER = "[node]";
/** Errors nest their causes only a few levels deep. */
const CAUSES_MAX = 10;
/** Fields with the texts of viem's errors, and of system errors below them. */
const TEXT_FIELDS = ["message", "shortMessage", "details", "stack", "url", "address", "hostname", "host"] as const;

/** Shorter path segments, such as a network's name, are not keys. */
const KEY_CHARACTERS_MIN = 12;

/**
 * The secret parts of a URL, longest first: a key may be in its path, query or user, and an error may contain only the
 * key.
 */
function listSecretParts(rpcUrl: string): readonly string[] {
  const { href, host, hostname, pathname, search, searchParams, username, password } = new URL(rpcUrl);
  const names = [...pathname.split("/"), ...searchParams.values()];
  const keys = names.filter((name) => name.length >= KEY_CHARACTERS_MIN);
  const parts = [rpcUrl, href, `${pathname}${search}`, pathname, search, host, hostname, username, password, ...keys];
  const withoutSlash = parts.map((part) => part.replace(/\/$/, ""));
  return [...new Set(withoutSlash)].filter((part) => part.length > 3).sort((a, b) => b.length - a.length);
}

/** Removes a node's address from a text. */
const redactUrl = (text: string, rpcUrl: string): string =>
  listSecretParts(rpcUrl).reduce((redacted, part) => redacted.replaceAll(part, PLACEHOLDER), text);

/** Removes a node's address from an error and from its causes; returns the same error. */
function redactError(error: unknown, rpcUrl: string): unknown {
  let current = error;
  for (let depth = 0; depth < CAUSES_MAX && current instanceof Error; depth++) {
    for (const name of TEXT_FIELDS) redactField(current, name, rpcUrl);
    if (current instanceof BaseError && current.metaMessages !== undefined)
      current.metaMessages = current.metaMessages.map((line) => redactUrl(line, rpcUrl));
    if (current instanceof AggregateError) for (const part of current.errors) redactError(part, rpcUrl);
    current = current.cause;
  }
  return error;
}

function redactField(error: Error, name: string, rpcUrl: string): void {
  const text = (error as unknown as Record<string, unknown>)[name];
  if (typeof text !== "string") return;
  const value = redactUrl(text, rpcUrl);
  // Some errors inherit these fields from their class, without a setter.
  if (value !== text) Object.defineProperty(error, name, { value, configurable: true, writable: true });
}

/**
 * viem's transport to a node, with batches and a deadline for each request. A caller's abort signal does not cancel a
 * request, since several callers share it.
 */
export function createNodeTransport(rpcUrl: string, timeoutMs: number, batchSize = BATCH_SIZE): HttpTransport {
  return (() => {
    const batches = new RpcBatches({ rpcUrl, timeoutMs, batchSize });
    const ask = ((call: RpcCall) => batches.ask(call)) as EIP1193RequestFn;
    const kind = { key: "http", name: "HTTP JSON-RPC", type: "http" } as const;
    const transport = createTransport({ ...kind, request: ask, retryCount: 0, timeout: timeoutMs });
    return {
      config: transport.config,
      request: async (...args: Parameters<EIP1193RequestFn>) => {
        try {
          return await transport.request(...args);
        } catch (error) {
          throw redactError(error, rpcUrl);
        }
      },
      value: { url: PLACEHOLDER },
    };
  }) as HttpTransport;
}
