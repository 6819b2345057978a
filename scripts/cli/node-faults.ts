/** Failed requests to the chain's node. */
import { HttpRequestError, TimeoutError } from "viem";
import { describeError, findRemedy } from "../../backend/adapters/chain/rpc-errors.ts";

export interface NodeFault {
  /** The node's origin without a key, and what came instead of an answer. */
  readonly message: string;
  readonly next: string;
}

/** The failed request in an error or its causes; null if a node has answered, or no request was made. */
export function findNodeFault(error: unknown): NodeFault | null {
  if (!(error instanceof Error)) return null;
  if (!(error instanceof HttpRequestError || error instanceof TimeoutError)) return findNodeFault(error.cause);
  const reason = error instanceof TimeoutError ? "no answer in time" : describeError(error);
  return {
    message: `The node at ${new URL(error.url).origin} does not answer JSON-RPC: ${reason}`,
    next: `${findRemedy(reason) ?? "try again later, or use another node"} (--rpc or ARCADE_RPC_URL)`,
  };
}
