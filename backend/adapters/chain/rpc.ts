import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  defineChain,
  ExecutionRevertedError,
  HttpRequestError,
  http,
  type PublicClient,
  RawContractError,
  RpcRequestError,
} from "viem";
import { ArcadeError } from "../../domain/errors.ts";
import type { Clock } from "../../ports.ts";
import { Breaker } from "./breaker.ts";

/** The longest a caller waits for the node, retry included. */
export const RPC_DEADLINE_MS = 5_000;
/** The node is asked for its chain id again after this time, in the same round trip as the question itself. */
const CHAIN_ID_CHECK_MS = 5_000;
const BATCH_SIZE = 20;

export interface Rpc {
  readonly client: PublicClient;
  readonly chainId: number;
  /**
   * Runs some questions to the node within one deadline, with one retry after a quick failure. Throws
   * `CHAIN_UNAVAILABLE` when the node is away, slow, wrong, or on another chain. What a contract answers by a revert
   * passes through as viem's error; with `answers: "errors"` so does any JSON-RPC error.
   */
  guard<T>(run: (client: PublicClient) => Promise<T>, options?: GuardOptions): Promise<T>;
}

export interface GuardOptions {
  readonly deadlineMs?: number;
  readonly answers?: "errors";
  /** True where the question runs a stranger's code: its slowness says nothing of the node. */
  readonly isStrange?: boolean;
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

/** A few words on a failure. Never the message itself: it holds the node's address, which may hold a password. */
function describe(error: unknown): string {
  if (!(error instanceof BaseError)) return "no answer";
  const failed = error.walk((cause) => cause instanceof HttpRequestError) as HttpRequestError | null;
  if (failed?.status !== undefined) return `HTTP ${failed.status}`;
  const code = findRpcError(error)?.code;
  return code === undefined ? error.name : `JSON-RPC error ${code}`;
}

/** An error as fields of a log line: viem's messages hold the node's address, which may hold a password. */
export const loggable = (error: unknown): object =>
  error instanceof BaseError
    ? { reason: describe(error) }
    : error instanceof ArcadeError
      ? { code: error.code }
      : { err: error };

export const unavailable = (reason: string): ArcadeError =>
  new ArcadeError("CHAIN_UNAVAILABLE", `The chain's node does not answer (${reason}); try again in a few seconds.`);

class Deadline extends Error {}

export function createRpc({ rpcUrl, chainId, clock }: { rpcUrl: string; chainId: number; clock: Clock }): Rpc {
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  });
  const transport = http(rpcUrl, {
    batch: { batchSize: BATCH_SIZE },
    retryCount: 0,
    timeout: RPC_DEADLINE_MS,
    // viem's own timeout ends with the headers; a body that never ends must not keep its socket either.
    fetchFn: (input, init) => {
      const signals = [AbortSignal.timeout(RPC_DEADLINE_MS), ...(init?.signal ? [init.signal] : [])];
      return fetch(input, { ...init, signal: AbortSignal.any(signals) });
    },
  });
  const client = createPublicClient({ chain, transport, cacheTime: 0 });
  const breaker = new Breaker(clock);
  let checkedAtMs: number | null = null;

  async function checkChainId(): Promise<void> {
    const nowMs = clock.monotonicMs();
    if (checkedAtMs !== null && nowMs - checkedAtMs < CHAIN_ID_CHECK_MS) return;
    const found = await client.getChainId();
    if (found !== chainId) throw unavailable(`it serves chain ${found} instead of ${chainId}`);
    checkedAtMs = nowMs;
  }

  const isAnswer = (error: unknown, options: GuardOptions): boolean =>
    findRevert(error) !== null || (options.answers === "errors" && findRpcError(error) !== null);

  async function attempt<T>(run: (client: PublicClient) => Promise<T>, deadline: Promise<never>): Promise<T> {
    const [result] = await Promise.race([Promise.all([run(client), checkChainId()]), deadline]);
    return result;
  }

  async function guard<T>(run: (client: PublicClient) => Promise<T>, options: GuardOptions = {}): Promise<T> {
    if (!breaker.admit()) throw unavailable("it failed a moment ago");
    const deadlineMs = options.deadlineMs ?? RPC_DEADLINE_MS;
    let cancel = (): void => undefined;
    const deadline = new Promise<never>((_, reject) => {
      cancel = clock.after(deadlineMs, () => reject(new Deadline()));
    });
    deadline.catch(() => undefined);
    try {
      const result = await attempt(run, deadline).catch((error: unknown) => {
        if (error instanceof Deadline || error instanceof ArcadeError || isAnswer(error, options)) throw error;
        if (!(error instanceof BaseError)) throw error;
        return attempt(run, deadline);
      });
      breaker.succeed();
      return result;
    } catch (error) {
      if (isAnswer(error, options)) {
        breaker.succeed();
        throw error;
      }
      const isOurs = error instanceof ArcadeError;
      if (!isOurs && !(error instanceof Deadline) && !(error instanceof BaseError)) throw error;
      if (!options.isStrange) {
        breaker.fail();
        checkedAtMs = null;
      }
      if (isOurs) throw error;
      throw unavailable(error instanceof Deadline ? `nothing came within ${deadlineMs / 1_000} s` : describe(error));
    } finally {
      cancel();
    }
  }

  return { client, chainId, guard };
}
