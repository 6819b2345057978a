import { BaseError, createPublicClient, defineChain, type PublicClient } from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import type { Clock } from "../../ports/system.ts";
import { CircuitBreaker } from "./breaker.ts";
import type { NodePool } from "./nodes/node-pool.ts";
import { createPoolTransport } from "./nodes/pool-transport.ts";
import type { RequestBudget } from "./request-budget.ts";
import {
  createNoContractError,
  createUnavailableError,
  describeError,
  findMissingContract,
  findRevert,
  isRejection,
} from "./rpc-errors.ts";
import { createNodeTransport } from "./transport.ts";

/** The longest time a caller waits for the node, including a retry. */
const RPC_DEADLINE_MS = 5_000;
/** The node's chain id is checked again after this time. */
const CHAIN_ID_CHECK_MS = 5_000;
/** A timeout counts as a failure of the node only if the call could wait this long. */
const COUNTED_TIMEOUT_MS = 1_000;

export interface Rpc {
  readonly client: PublicClient;
  readonly chainId: number;
  /** The current time of this machine. */
  getUnixSeconds(): number;
  /**
   * Runs calls to the node within one deadline, with one retry after a quick failure. Throws `CHAIN_UNAVAILABLE` if the
   * node is down, slow, faulty, or on another chain. A revert is rethrown as viem's error; with `passThrough: "errors"`
   * so is every JSON-RPC error.
   */
  withDeadline<T>(run: (client: PublicClient) => Promise<T>, options?: RpcCallOptions): Promise<T>;
}

export interface RpcCallOptions {
  readonly deadlineMs?: number;
  readonly passThrough?: "errors";
  /** True if the call runs untrusted code: its failures then do not count as failures of the node. */
  readonly isUntrusted?: boolean;
}

class DeadlineError extends Error {}

export interface RpcOptions {
  readonly rpcUrl: string;
  /** Several nodes, which replace the one at `rpcUrl`. */
  readonly nodes?: NodePool | null;
  readonly chainId: number;
  readonly clock: Clock;
  /** The budget of each request; absent: calls have only their own deadlines. */
  readonly budget?: RequestBudget;
  /** The number of simultaneous calls that share an HTTP request; 20 by default. */
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

  constructor(options: RpcOptions) {
    const { chainId, clock, budget } = options;
    this.client = createClient(options);
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
    return budget.ask(() => this.#call(run, options, Math.min(ownMs, budget.remainingMs() ?? ownMs)));
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

  /** Runs the calls together with the check of the chain id, in one round trip. */
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

function createClient({ rpcUrl, nodes = null, chainId, batchSize }: RpcOptions): PublicClient {
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    // The client never uses this URL, and viem would show it in errors.
    rpcUrls: { default: { http: [] } },
  });
  return createPublicClient({
    chain,
    transport:
      nodes === null
        ? createNodeTransport(rpcUrl, RPC_DEADLINE_MS, batchSize)
        : createPoolTransport(nodes, RPC_DEADLINE_MS, batchSize),
    cacheTime: 0,
    // Otherwise a foreign contract could choose addresses that this machine sends requests to (ERC-3668).
    ccipRead: false,
  });
}

const isPassedThrough = (error: unknown, options: RpcCallOptions): boolean =>
  findRevert(error) !== null || (options.passThrough === "errors" && isRejection(error));
