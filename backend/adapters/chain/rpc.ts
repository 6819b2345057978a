import {
  AbiDecodingZeroDataError,
  BaseError,
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  createPublicClient,
  defineChain,
  ExecutionRevertedError,
  HttpRequestError,
  type PublicClient,
  RawContractError,
  RpcRequestError,
} from "viem";
import { ArcadeError } from "../../domain/errors.ts";
import type { Clock } from "../../ports/system.ts";
import { CircuitBreaker } from "./breaker.ts";
import type { RequestBudget } from "./request-budget.ts";
import { createNodeTransport } from "./transport.ts";

/** The longest a caller waits for the node, retry included. */
const RPC_DEADLINE_MS = 5_000;
/** The node's chain id is checked again after this time. */
const CHAIN_ID_CHECK_MS = 5_000;
/** HTTP statuses with which nodes reject what a request asks for; the others say that the node cannot respond now. */
const REJECTION_STATUSES = new Set([400, 413, 422]);
/** A timeout counts as a failure of the node only where the call could wait this long. */
const COUNTED_TIMEOUT_MS = 1_000;

export interface Rpc {
  readonly client: PublicClient;
  readonly chainId: number;
  /** The present time of this machine. */
  getUnixSeconds(): number;
  /**
   * Runs calls to the node within one deadline, with one retry after a quick failure. Throws `CHAIN_UNAVAILABLE` when
   * the node is down, slow, faulty, or on another chain. A revert passes through as viem's error; with
   * `passThrough: "errors"` every JSON-RPC error does.
   */
  withDeadline<T>(run: (client: PublicClient) => Promise<T>, options?: RpcCallOptions): Promise<T>;
}

export interface RpcCallOptions {
  readonly deadlineMs?: number;
  readonly passThrough?: "errors";
  /** True when the call runs foreign code: then its failures do not count as failures of the node. */
  readonly isUntrusted?: boolean;
}

/** The revert inside a viem error, or null. */
export function findRevert(
  error: unknown,
): ContractFunctionRevertedError | ExecutionRevertedError | RawContractError | null {
  if (!(error instanceof BaseError)) return null;
  const isRevert = (cause: unknown): boolean =>
    cause instanceof ContractFunctionRevertedError ||
    cause instanceof ExecutionRevertedError ||
    cause instanceof RawContractError;
  return error.walk(isRevert) as ReturnType<typeof findRevert>;
}

/** The JSON-RPC error inside a viem error, or null. */
export const findRpcError = (error: unknown): RpcRequestError | null =>
  error instanceof BaseError
    ? (error.walk((cause) => cause instanceof RpcRequestError) as RpcRequestError | null)
    : null;

/** Whether the node responded and rejects the request itself: a JSON-RPC error, or an HTTP status of that meaning. */
export function isRejection(error: unknown): boolean {
  if (findRpcError(error) !== null) return true;
  if (!(error instanceof BaseError)) return false;
  if (error.walk((cause) => (cause as Error).name === "ResponseBodyTooLargeError") !== null) return true;
  const httpError = error.walk((cause) => cause instanceof HttpRequestError) as HttpRequestError | null;
  return httpError?.status !== undefined && REJECTION_STATUSES.has(httpError.status);
}

/** The address without a contract that a call was made to; null where that is not the error. */
function findMissingContract(error: unknown): { readonly address: string | null } | null {
  if (!(error instanceof BaseError)) return null;
  const isZeroData = (cause: unknown): boolean =>
    cause instanceof ContractFunctionZeroDataError || cause instanceof AbiDecodingZeroDataError;
  if (error.walk(isZeroData) === null) return null;
  const call = error.walk((cause) => cause instanceof ContractFunctionExecutionError);
  return { address: (call as ContractFunctionExecutionError | null)?.contractAddress ?? null };
}

/** A short reason. Never viem's message: it contains the node's URL, which may contain a password. */
function describeError(error: unknown): string {
  if (!(error instanceof BaseError)) return "no answer";
  const httpError = error.walk((cause) => cause instanceof HttpRequestError) as HttpRequestError | null;
  if (httpError?.status !== undefined) return `HTTP ${httpError.status}`;
  const code = findRpcError(error)?.code;
  return code === undefined ? error.name : `JSON-RPC error ${code}`;
}

/** An error as fields of a log line, without viem's messages: they contain the node's URL. */
export const toLogFields = (error: unknown): object =>
  error instanceof BaseError
    ? { reason: describeError(error) }
    : error instanceof ArcadeError
      ? { code: error.code }
      : { err: error };

export const createUnavailableError = (reason: string): ArcadeError =>
  new ArcadeError("CHAIN_UNAVAILABLE", `The chain's node does not answer (${reason}); try again in a few seconds.`);

const createNoContractError = (address: string | null, chainId: number): ArcadeError =>
  new ArcadeError(
    "CHAIN_UNAVAILABLE",
    `There is no contract at ${address ?? "an address of the deployment"} on chain ${chainId}; the operator has to check the node (ARCADE_RPC_URL) and the addresses file (ARCADE_DEPLOYMENT).`,
  );

class DeadlineError extends Error {}

export interface RpcOptions {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly clock: Clock;
  /** What each request may spend; absent: calls have only their own deadlines. */
  readonly budget?: RequestBudget;
  /** Calls of one moment that share an HTTP request; 20 when absent. */
  readonly batchSize?: number;
}

export function createRpc(options: RpcOptions): Rpc {
  return new RpcClient(options);
}

class RpcClient implements Rpc {
  readonly client: PublicClient;
  readonly chainId: number;
  readonly #clock: Clock;
  readonly #breaker: CircuitBreaker;
  readonly #budget: RequestBudget | null;
  #checkedAtMs: number | null = null;

  constructor({ rpcUrl, chainId, clock, budget, batchSize }: RpcOptions) {
    this.client = createClient(rpcUrl, chainId, batchSize);
    this.chainId = chainId;
    this.#clock = clock;
    this.#budget = budget ?? null;
    this.#breaker = new CircuitBreaker(clock);
  }

  getUnixSeconds(): number {
    return Math.floor(this.#clock.nowMs() / 1000);
  }

  withDeadline<T>(run: (client: PublicClient) => Promise<T>, options: RpcCallOptions = {}): Promise<T> {
    const ownMs = options.deadlineMs ?? RPC_DEADLINE_MS;
    const budget = this.#budget;
    if (budget === null) return this.#call(run, options, ownMs);
    return budget.spend(() => this.#call(run, options, Math.min(ownMs, budget.remainingMs() ?? ownMs)));
  }

  async #call<T>(run: (client: PublicClient) => Promise<T>, options: RpcCallOptions, deadlineMs: number): Promise<T> {
    if (deadlineMs <= 0) throw createUnavailableError("this request has waited for it long enough");
    if (!this.#breaker.allowRequest()) throw createUnavailableError("it failed a moment ago");
    let cancel = (): void => undefined;
    const deadline = new Promise<never>((_, reject) => {
      cancel = this.#clock.after(deadlineMs, () => reject(new DeadlineError()));
    });
    deadline.catch(() => undefined);
    try {
      const result = await this.#attempt(run, deadline).catch((error: unknown) => {
        if (!(error instanceof BaseError) || isPassedThrough(error, options)) throw error;
        return this.#attempt(run, deadline);
      });
      this.#breaker.recordSuccess();
      return result;
    } catch (error) {
      throw this.#handleError(error, options, deadlineMs);
    } finally {
      cancel();
    }
  }

  /** Runs the calls beside the check of the chain id: one round trip for both. */
  async #attempt<T>(run: (client: PublicClient) => Promise<T>, deadline: Promise<never>): Promise<T> {
    const [result] = await Promise.race([Promise.all([run(this.client), this.#checkChainId()]), deadline]);
    return result;
  }

  async #checkChainId(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#checkedAtMs !== null && nowMs - this.#checkedAtMs < CHAIN_ID_CHECK_MS) return;
    const servedChainId = await this.client.getChainId();
    if (servedChainId !== this.chainId)
      throw createUnavailableError(`it serves chain ${servedChainId} instead of ${this.chainId}`);
    this.#checkedAtMs = nowMs;
  }

  /** Counts the error in the circuit breaker and returns the one to throw. */
  #handleError(error: unknown, options: RpcCallOptions, deadlineMs: number): unknown {
    if (isPassedThrough(error, options)) {
      this.#breaker.recordSuccess();
      return error;
    }
    const missing = findMissingContract(error);
    if (missing !== null && !options.isUntrusted) {
      this.#breaker.recordSuccess();
      return createNoContractError(missing.address, this.chainId);
    }
    const isArcadeError = error instanceof ArcadeError;
    if (!isArcadeError && !(error instanceof DeadlineError) && !(error instanceof BaseError)) return error;
    const isShort = error instanceof DeadlineError && deadlineMs < COUNTED_TIMEOUT_MS;
    if (!options.isUntrusted && !isShort) {
      this.#breaker.recordFailure();
      this.#checkedAtMs = null;
    }
    if (isArcadeError) return error;
    return createUnavailableError(
      error instanceof DeadlineError
        ? `nothing came within ${Math.ceil(deadlineMs / 100) / 10} s`
        : describeError(error),
    );
  }
}

function createClient(rpcUrl: string, chainId: number, batchSize?: number): PublicClient {
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    // The client never uses it, and viem would show it.
    rpcUrls: { default: { http: [] } },
  });
  return createPublicClient({
    chain,
    transport: createNodeTransport(rpcUrl, RPC_DEADLINE_MS, batchSize),
    cacheTime: 0,
  });
}

const isPassedThrough = (error: unknown, options: RpcCallOptions): boolean =>
  findRevert(error) !== null || (options.passThrough === "errors" && isRejection(error));
