/**
 * JSON-RPC over HTTP; simultaneous calls share a request. viem's `http` with `batch` matches results by order: if a
 * node leaves one out, the next call gets its result. It also loses the error of a whole batch, and its timeout covers
 * only the time until the response's headers.
 */
import querystring from "node:querystring";
import { BaseError, HttpRequestError, RpcRequestError, TimeoutError } from "viem";
import { findQuantityFault } from "../../../domain/rpc-quantities.ts";
import { postJson, ResponseTimeoutError } from "../node/post-json.ts";
import { BatchRejectedError } from "./rpc-errors.ts";

/** Room for the receipts of many full blocks. */
const RESPONSE_BYTES_MAX = 10 * 1024 * 1024;
const BATCH = /\bbatch\b/i;
/** "Parse error" and "Invalid request" of a node that knows no batches. */
const LIST_CODES = [-32_700, -32_600];

export interface RpcCall {
  readonly method: string;
  readonly params?: unknown;
}

interface RpcError {
  readonly code: number;
  readonly message: string;
}

interface RpcAnswer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: RpcError;
}

interface WaitingCall {
  readonly call: RpcCall;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface RpcBatchesOptions {
  readonly rpcUrl: string;
  /** The maximum time of a request, including its response. */
  readonly timeoutMs: number;
  /** The maximum number of calls in one request. */
  readonly batchSize: number;
}

/** The URL without its user, which goes into a header. A `%` that encodes nothing is kept literally. */
function splitUser(rpcUrl: string): { readonly url: URL; readonly headers: { readonly [name: string]: string } } {
  const url = new URL(rpcUrl);
  const { username, password } = url;
  if (username === "" && password === "") return { url, headers: {} };
  url.username = "";
  url.password = "";
  const user = `${querystring.unescape(username)}:${querystring.unescape(password)}`;
  return { url, headers: { Authorization: `Basic ${Buffer.from(user).toString("base64")}` } };
}

/** The single error that a node or gateway returns for a whole request; null for anything else. */
function findCommonError(answer: unknown): RpcError | null {
  const { error } = (answer ?? {}) as { readonly error?: { readonly code?: unknown; readonly message?: unknown } };
  return typeof error?.code === "number" && typeof error.message === "string" ? (error as RpcError) : null;
}

/** Whether a node or a gateway rejects a batch as such: dRPC's free node above 3 calls, Hedera's relay always. */
function isBatchRejected(error: unknown): boolean {
  if (error instanceof BatchRejectedError) return BATCH.test(error.details) || LIST_CODES.includes(error.rpcCode);
  return error instanceof HttpRequestError && BATCH.test(error.details);
}

/** Some gateways answer 413 to many calls, others to one call that is too large. */
const isTooLong = (error: unknown): boolean => error instanceof HttpRequestError && error.status === 413;

/** The answer to a call without a list, as a list; an error without its id concerns the request instead. */
const toList = (answer: unknown, id: number): unknown =>
  Number((answer as RpcAnswer | null)?.id) === id ? [answer] : answer;

/** Sends calls to one node. Throws viem's errors, like viem's own transport. */
export class RpcBatches {
  readonly #options: RpcBatchesOptions;
  readonly #url: URL;
  readonly #headers: { readonly [name: string]: string };
  #waiting: WaitingCall[] = [];
  #lastId = 0;
  /** Smaller than the option once the node has rejected a longer request. */
  #batchSize: number;
  /** False once the node has taken a call that it had rejected as a list of one. */
  #takesLists = true;

  constructor(options: RpcBatchesOptions) {
    const { url, headers } = splitUser(options.rpcUrl);
    this.#options = options;
    this.#batchSize = options.batchSize;
    this.#url = url;
    this.#headers = headers;
  }

  ask(call: RpcCall): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, resolve, reject });
      if (this.#waiting.length === 1) setTimeout(() => void this.#send(), 0);
      if (this.#waiting.length >= this.#batchSize) void this.#send();
    });
  }

  async #send(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    if (batch.length > 0) await this.#sendBatch(batch);
  }

  async #sendBatch(batch: readonly WaitingCall[], isList = this.#takesLists): Promise<void> {
    if (batch.length > 1 && !isList) return await this.#sendHalves(batch);
    const firstId = this.#lastId + 1;
    this.#lastId += batch.length;
    const body = batch.map(({ call: { method, params } }, index) => {
      const id = firstId + index;
      return { jsonrpc: "2.0", id, method, params };
    });
    try {
      const answers = isList ? await this.#post(body) : toList(await this.#post(body[0]!), firstId);
      const commonError = findCommonError(answers);
      if (commonError !== null) throw new BatchRejectedError(commonError);
      if (!Array.isArray(answers)) throw new BaseError("The node returned a single response to a list of calls.");
      this.#takesLists = isList;
      const byId = new Map(answers.map((answer: RpcAnswer) => [Number(answer.id), answer]));
      for (const [index, waiting] of batch.entries()) this.#settle(waiting, byId.get(firstId + index));
    } catch (error) {
      if (batch.length > 1 && (isBatchRejected(error) || isTooLong(error))) return await this.#sendHalves(batch);
      if (isList && isBatchRejected(error)) return await this.#sendBatch(batch, false);
      for (const { reject } of batch) reject(error);
    }
  }

  /** One after the other, so that transactions keep their order. */
  async #sendHalves(batch: readonly WaitingCall[]): Promise<void> {
    const half = Math.ceil(batch.length / 2);
    this.#batchSize = Math.min(this.#batchSize, half);
    await this.#sendBatch(batch.slice(0, half));
    await this.#sendBatch(batch.slice(half));
  }

  #settle({ call, resolve, reject }: WaitingCall, answer: RpcAnswer | undefined): void {
    if (answer === undefined) reject(new BaseError("The node returned no response to a call."));
    else if (answer.error) reject(new RpcRequestError({ body: { ...call }, error: answer.error, url: this.#url.href }));
    else {
      const fault = findQuantityFault(call.method, answer.result);
      // Some servers leave out a result that is null.
      if (fault === null) resolve(answer.result ?? null);
      else reject(new BaseError(`The node returned ${fault}.`, { name: fault }));
    }
  }

  async #post(body: { readonly [field: string]: unknown } | { readonly [field: string]: unknown }[]): Promise<unknown> {
    const { timeoutMs } = this.#options;
    const url = this.#url.href;
    try {
      const { ok, status, statusText, text } = await postJson({
        url: this.#url,
        headers: this.#headers,
        body: JSON.stringify(body),
        timeoutMs,
        bytesMax: RESPONSE_BYTES_MAX,
      });
      if (ok) return JSON.parse(text);
      throw new HttpRequestError({ body, details: text.slice(0, 200) || statusText, status, url });
    } catch (error) {
      if (error instanceof HttpRequestError) throw error;
      if (error instanceof ResponseTimeoutError) throw new TimeoutError({ body, url });
      throw new HttpRequestError({ body, cause: error as Error, url });
    }
  }
}
