/** Classifies errors of a chain node. */
import {
  AbiDecodingZeroDataError,
  BaseError,
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  ExecutionRevertedError,
  HttpRequestError,
  RawContractError,
  RpcRequestError,
} from "viem";
import { ArcadeError } from "../../../domain/errors.ts";
import { BodyTooLargeError } from "../node/post-json.ts";

/** HTTP statuses by which nodes reject a request; others mean that the node cannot respond now. */
const REJECTION_STATUSES = new Set([400, 413, 422]);

/**
 * One JSON-RPC error for a request with several calls, such as a rate limit or too many calls. It does not concern the
 * calls themselves, so `findRpcError` ignores it.
 */
export class BatchRejectedError extends BaseError {
  readonly rpcCode: number;

  constructor({ code, message }: { readonly code: number; readonly message: string }) {
    super("The node has rejected a whole request.", { details: message, name: "BatchRejectedError" });
    this.rpcCode = code;
  }
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

/** Whether the node responded and rejected the request itself: by a JSON-RPC error, or an equivalent HTTP status. */
export function isRejection(error: unknown): boolean {
  if (findRpcError(error) !== null) return true;
  if (!(error instanceof BaseError)) return false;
  if (error.walk((cause) => cause instanceof BodyTooLargeError) !== null) return true;
  const httpError = error.walk((cause) => cause instanceof HttpRequestError) as HttpRequestError | null;
  return httpError?.status !== undefined && REJECTION_STATUSES.has(httpError.status);
}

/** Whether a node rejected a call because of its rate limit rather than the call itself. */
export function isRateLimit(error: unknown): boolean {
  const rpcError = findRpcError(error);
  return rpcError !== null && (rpcError.code === 429 || /rate|too many|limit|capacity/i.test(rpcError.details));
}

/** The address that a call was made to and that has no contract; null if the error is another one. */
export function findMissingContract(error: unknown): { readonly address: string | null } | null {
  if (!(error instanceof BaseError)) return null;
  const isZeroData = (cause: unknown): boolean =>
    cause instanceof ContractFunctionZeroDataError || cause instanceof AbiDecodingZeroDataError;
  if (error.walk(isZeroData) === null) return null;
  const call = error.walk((cause) => cause instanceof ContractFunctionExecutionError);
  return { address: (call as ContractFunctionExecutionError | null)?.contractAddress ?? null };
}

/** A short reason. Never viem's message: it contains the node's URL, which may contain a password. */
export function describeError(error: unknown): string {
  if (!(error instanceof BaseError)) return "no answer";
  const httpError = error.walk((cause) => cause instanceof HttpRequestError) as HttpRequestError | null;
  if (httpError?.status !== undefined) return `HTTP ${httpError.status}`;
  const rejection = error.walk((cause) => cause instanceof BatchRejectedError) as BatchRejectedError | null;
  const code = findRpcError(error)?.code ?? rejection?.rpcCode;
  if (code !== undefined) return `JSON-RPC error ${code}`;
  const cause = error.walk((one) => typeof (one as { code?: unknown }).code === "string") as { code?: string } | null;
  if (cause !== null) return cause.code!;
  return error.walk((one) => one instanceof SyntaxError) === null ? error.name : "a body that is not JSON";
}

/** What to do, by the reason of `describeError`. */
const REMEDIES: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [/^HTTP 30\d$/, "the address redirects: set the one that it leads to, perhaps with a slash at the end"],
  [/^HTTP 40[13]$/, "correct the key, or user and password, in the node's address"],
  [/^HTTP 40[45]$|not JSON$/, "another program answers there: correct the path of the node's address"],
  [/^HTTP 429$/, "the node limits requests: wait, or use another one"],
  [/ALTNAME/, "use a host name that the node's certificate contains"],
  [/EXPIRED/, "renew the node's certificate, or correct this machine's clock"],
  [/CERT|ISSUER|LEAF/, "set NODE_EXTRA_CA_CERTS to a file with the authority of the node's certificate"],
  [/^EPROTO$|SSL/, "the node may speak http instead of https"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "correct the host of the node's address, or this machine's DNS"],
  [/^ECONNREFUSED$/, "start the node, or correct host and port"],
];

/** What to do about a node that does not answer for this reason; undefined if it is unknown. */
export const findRemedy = (reason: string): string | undefined =>
  REMEDIES.find(([pattern]) => pattern.test(reason))?.[1];

/** An error as fields of a log line, without viem's messages: they contain the node's URL. */
export function toLogFields(error: unknown): object {
  if (error instanceof BaseError) return { reason: describeError(error) };
  return error instanceof ArcadeError ? { code: error.code, reason: error.message } : { err: error };
}

export const createUnavailableError = (reason: string): ArcadeError =>
  new ArcadeError("CHAIN_UNAVAILABLE", `The chain's node does not answer (${reason}); try again in a few seconds.`);

/** `CHAIN_UNAVAILABLE` for an error of viem, such as an HTTP status; every other error unchanged. */
export const toUnavailable = (error: unknown): unknown =>
  error instanceof BaseError ? createUnavailableError(describeError(error)) : error;

export const createNoContractError = (address: string | null, chainId: number): ArcadeError =>
  new ArcadeError(
    "CHAIN_UNAVAILABLE",
    `There is no contract at ${address ?? "an address of the deployment"} on chain ${chainId}; the operator has to check the node (ARCADE_RPC_URL) and the addresses file (ARCADE_DEPLOYMENT).`,
  );
