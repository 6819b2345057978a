/** viem's transport over several nodes. */
import { isDeepStrictEqual } from "node:util";
import { ExecutionRevertedError, type HttpTransport } from "viem";
import { findRpcError, isRejection } from "../rpc-errors.ts";
import { createNodeTransport } from "../transport.ts";
import type { RpcBlock } from "./named-chain.ts";
import type { NodePool } from "./node-pool.ts";
import { requestInOrder, requestTwo } from "./request-in-order.ts";

/** How long to wait for a node before asking another one as well. */
const PATIENCE_MS = 400;
/** JSON-RPC error code of a revert (geth and its forks). */
const REVERT_CODE = 3;

/** If one of these returns `null`, this node lacks the data, but another one may have it. */
const LOOKUPS: ReadonlySet<string> = new Set([
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getBlockReceipts",
  "eth_getTransactionByHash",
  "eth_getTransactionReceipt",
]);

/** Sent to every node: one may accept a transaction and never relay it. */
const SEND = "eth_sendRawTransaction";

interface Call {
  readonly method: string;
  readonly params?: unknown;
}

/** The node lacks the requested data. */
class NotFoundError extends Error {}

const isBlockQuestion = ({ method, params }: Call, tag: "latest" | "finalized"): boolean =>
  method === "eth_getBlockByNumber" && isDeepStrictEqual(params, [tag, false]);

const chooseLower = (blocks: readonly RpcBlock[]): RpcBlock =>
  blocks.reduce((lower, block) => (Number(block.number) < Number(lower.number) ? block : lower));

/** A revert is a valid response of the chain. */
function isRevert(error: unknown): boolean {
  const rpcError = findRpcError(error);
  if (rpcError === null) return false;
  return rpcError.code === REVERT_CODE || ExecutionRevertedError.nodeMessage.test(rpcError.details);
}

/** The most useful error of several nodes: a rejection rather than a missing response. */
const chooseError = (errors: readonly unknown[]): unknown => errors.find(isRejection) ?? errors[0];

/**
 * The head is the one that the nodes agree on, and the finalized block is one that two of them report. All other
 * requests try one trusted node after the other.
 */
export function createPoolTransport(pool: NodePool, timeoutMs: number, batchSize?: number): HttpTransport {
  return ((options) => {
    const transports = pool.rpcUrls.map((rpcUrl) => createNodeTransport(rpcUrl, timeoutMs, batchSize)(options));
    const ask = async (place: number, call: Call, asked: Set<number>): Promise<unknown> => {
      asked.add(place);
      const result = await transports[place]!.request(call as never);
      if (result === null && LOOKUPS.has(call.method)) throw new NotFoundError();
      return result;
    };
    const patience = { clock: pool.clock, patienceMs: PATIENCE_MS };
    /** Broadcasts without waiting for responses: one node has already accepted the transaction. */
    const broadcast = (places: readonly number[], call: Call, asked: Set<number>): void => {
      for (const place of places) if (!asked.has(place)) ask(place, call, asked).catch(() => undefined);
    };
    const request = async (call: Call): Promise<unknown> => {
      if (isBlockQuestion(call, "latest")) return await pool.readHead();
      const isFinalized = isBlockQuestion(call, "finalized");
      const places = isFinalized ? pool.listBelieved() : pool.rank();
      const asked = new Set<number>();
      const asks = places.map((place) => () => ask(place, call, asked));
      try {
        if (isFinalized) return chooseLower((await requestTwo(asks, patience)) as readonly RpcBlock[]);
        const answer = await requestInOrder(asks, { ...patience, isAnswer: isRevert });
        if (call.method === SEND) broadcast(places, call, asked);
        return answer;
      } catch (error) {
        if (!(error instanceof AggregateError)) throw error;
        if (error.errors.some((single) => single instanceof NotFoundError)) return null;
        throw chooseError(error.errors);
      }
    };
    const { config, value } = transports[0]!;
    return { config, request, value };
  }) as HttpTransport;
}
