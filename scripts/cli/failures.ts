/** Failures of commands and their exit codes: 0 ok, 1 fault, 2 usage, 3 chain, 4 auth. */
import { ArcadeApiError, ArcadeChainError } from "../../client/errors.ts";

export const EXIT = { ok: 0, fault: 1, usage: 2, chain: 3, auth: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command was called in a way it does not know; `message` says what was expected. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** A failure that says what to do next, with its exit code. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly next: string | null;

  constructor(
    message: string,
    options: { readonly exitCode?: ExitCode; readonly next?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "CommandError";
    this.exitCode = options.exitCode ?? EXIT.fault;
    this.next = options.next ?? null;
  }
}

const CHAIN_CODES = new Set(["CHAIN_UNAVAILABLE", "TX_NOT_FOUND", "TX_FAILED", "TX_MISMATCH", "UNSUPPORTED_CHAIN"]);

export function exitCodeOf(thrown: unknown): ExitCode {
  if (thrown instanceof CommandError) return thrown.exitCode;
  if (thrown instanceof UsageError) return EXIT.usage;
  if (thrown instanceof ArcadeChainError) return EXIT.chain;
  if (!(thrown instanceof ArcadeApiError)) return EXIT.fault;
  if (CHAIN_CODES.has(thrown.code)) return EXIT.chain;
  return thrown.status === 401 || thrown.status === 403 ? EXIT.auth : EXIT.fault;
}

const NEXT: { readonly [code: string]: string } = {
  NETWORK_FAULT: "start the service with `npm start`, or give its address with --url",
  BAD_ANSWER: "check --url: another program answers there",
  CHAIN_UNAVAILABLE: "the service's chain does not answer; look at its terminal",
  RATE_LIMITED: "wait a little and run it again; it goes on where it stopped",
  IDENTITY_REQUIRED: "run `npm run agent` once with this key: it registers",
  WRONG_CHAIN: "give the node of the service's chain with --rpc",
  RPC_FAULT: "check that the chain's node answers (--rpc) and that the wallet has gas",
  TX_TIMEOUT: "run it again in a moment; it goes on where it stopped",
  REVERTED: "run it again; when it happens twice, show the transaction to the operator",
};

/** What a person does next, null where nothing better is known than the message itself. */
export function nextOf(thrown: unknown): string | null {
  if (thrown instanceof CommandError) return thrown.next;
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === "string" ? (NEXT[code] ?? null) : null;
}

/**
 * What a person is told. viem's messages repeat the whole request, calldata of a creation included: of those only the
 * first sentence is told, and what the node said.
 */
export function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const { shortMessage, details } = thrown as { shortMessage?: unknown; details?: unknown };
  if (typeof shortMessage !== "string") return thrown.message;
  const said = typeof details === "string" && details !== "" && !shortMessage.includes(details) ? ` (${details})` : "";
  return `${shortMessage}${said}`;
}

/** A failure as fields for `--json`. */
export function failureOf(thrown: unknown) {
  const { code, requestId, step } = thrown as {
    code?: unknown;
    requestId?: unknown;
    step?: unknown;
  };
  return {
    ...(typeof step === "string" ? { step } : {}),
    code: typeof code === "string" ? code : thrown instanceof UsageError ? "USAGE" : "FAULT",
    error: wordsOf(thrown),
    next: nextOf(thrown),
    ...(typeof requestId === "string" ? { requestId } : {}),
    exitCode: exitCodeOf(thrown),
  };
}
