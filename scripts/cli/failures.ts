/** Failures of commands and their exit codes: 0 ok, 1 fault, 2 usage, 3 chain, 4 auth. */
import { ConfigError } from "../../backend/config/config.ts";
import { ArcadeApiError, ArcadeBotError, ArcadeChainError } from "../../client/errors.ts";
import { findNodeFault, type NodeFault } from "./node-faults.ts";

export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  chain: 3,
  auth: 4,
  /** Verdicts on scores: a score differs from its replay; it cannot be recomputed; a replay's score is not on chain. */
  diverged: 5,
  cannotRecompute: 6,
  notOnChain: 7,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The arguments are wrong; `message` says what was expected. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** A failure with its exit code and what to do next. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly next: string | null;

  constructor(
    message: string,
    options: { readonly exitCode?: ExitCode; readonly next?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = "CommandError";
    this.exitCode = options.exitCode ?? EXIT.error;
    this.next = options.next ?? null;
  }
}

/** The node's fault, unless the error's own message already reports it, or tells what became of a transaction. */
const findUnreportedFault = (error: unknown): NodeFault | null =>
  error instanceof CommandError || (error instanceof ArcadeChainError && error.code !== "RPC_FAULT")
    ? null
    : findNodeFault(error);

const CHAIN_CODES = new Set(["CHAIN_UNAVAILABLE", "TX_NOT_FOUND", "TX_FAILED", "TX_MISMATCH", "UNSUPPORTED_CHAIN"]);

export function getExitCode(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof UsageError || error instanceof ConfigError) return EXIT.usage;
  if (error instanceof ArcadeChainError || findUnreportedFault(error) !== null) return EXIT.chain;
  if (!(error instanceof ArcadeApiError)) return EXIT.error;
  if (CHAIN_CODES.has(error.code)) return EXIT.chain;
  return error.status === 401 || error.status === 403 ? EXIT.auth : EXIT.error;
}

const NEXT_STEPS: { readonly [code: string]: string } = {
  NETWORK_FAULT: "start the service with `npm start`, or set its address with --url",
  BAD_ANSWER: "check --url: another program answers at that address",
  CHAIN_UNAVAILABLE: "the service's chain does not answer; check its terminal",
  RATE_LIMITED: "wait a little and run it again; it continues where it stopped",
  IDENTITY_REQUIRED: "run `npm run agent` once with this key to register it",
  WRONG_CHAIN: "set the node of the service's chain with --rpc",
  RPC_FAULT: "try another node with --rpc; if the wallet was to send a transaction, check that it has gas",
  TX_TIMEOUT: "run it again in a moment; it continues where it stopped",
  BOT_FAULT:
    "correct the bot and run it again (npm run agent -- --debug saves its last frames); a session that it played ended with its score",
  CALL_REFUSED: "check --url; if it is correct, inform the operator and do not sign by hand",
  MESSAGE_MISMATCH: "check --url: sign in only at the service's public address",
  CONTRACTS_UNKNOWN: "set the deployment's addresses file with --deployment",
  REVERTED: "run it again; if it happens twice, show the transaction to the operator",
};

/** The remedy for a contract's error, by the error's name. */
const REVERT_NEXT_STEPS: { readonly [name: string]: string } = {
  DeadlineExpired:
    "run it again for a new signature; if it fails again, compare the clock of the service's machine with the latest block's time",
  DeadlineTooFar: "correct the clock of the service's machine: it is ahead of the chain's time",
  InvalidSignature: "ask the operator to check /readyz: the contract does not accept the service's signing key",
  UnknownSigner: "ask the operator to check /readyz: the contract does not accept the service's signing key",
  SignerRevoked: "ask the operator to check /readyz: the contract does not accept the service's signing key",
  SignerNotYetValid: "wait until the new signing key is valid, then run it again",
  EnforcedPause: "wait until the operator has resumed the contract, then run it again",
  IdentityRequired: "run `npm run agent` once with this key to register it",
  NotIdentityOwner: "use the wallet that holds the identity, or register this one with `npm run agent`",
  SessionAlreadyConsumed: "nothing to do: this score is already on chain",
  AlreadyMinted: "run it again: the token now exists and can be upgraded",
  ScoreNotHigher: "nothing to do: the token has this score or a higher one",
  CooldownActive: "wait until the cooldown is over, then request the payout again",
  FloatTooLow: "ask the operator to fund the rewards contract",
  CapExceeded: "wait for the next day or week, when the payout limit resets",
  PayoutTooSmall: "request the payout again: another payout used part of a cap, and the next call uses what is left",
};

/** What the user should do next; null if the message already says it. */
export function getNextStep(error: unknown): string | null {
  if (error instanceof CommandError) return error.next;
  const fault = findUnreportedFault(error);
  if (fault !== null) return fault.next;
  const revertName = error instanceof ArcadeChainError ? error.revertName : null;
  if (revertName !== null && Object.hasOwn(REVERT_NEXT_STEPS, revertName)) return REVERT_NEXT_STEPS[revertName]!;
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? (NEXT_STEPS[code] ?? null) : null;
}

const PROGRAM_FOLDERS = ["backend", "client", "domain", "games", "local-chain", "mcp", "scripts", "node_modules"].map(
  (name) => new URL(`../../${name}/`, import.meta.url).href,
);

/** What the operating system reports about a path, by its code (errno(3)). */
const PATH_FAULTS: { readonly [code: string]: string } = {
  ENOENT: "there is no such file or folder",
  EISDIR: "expected a file, found a folder",
  ENOTDIR: "expected a folder, found a file",
  EACCES: "this user has no access; give it access, or run the command as the file's owner",
  EPERM: "this user has no access; give it access, or run the command as the file's owner",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
};

/** Node reports ENOENT for a new folder on a read-only file system. */
const NEW_FOLDER_FAULTS: { readonly [code: string]: string } = {
  ENOENT: "this folder cannot be created: its file system is read-only, or a link in the path leads nowhere",
  EEXIST: PATH_FAULTS.ENOTDIR!,
};

function toPathMessage({ code, path, syscall }: Partial<Record<"code" | "path" | "syscall", unknown>>): string | null {
  const faults = syscall === "mkdir" ? { ...PATH_FAULTS, ...NEW_FOLDER_FAULTS } : PATH_FAULTS;
  const fault = typeof code === "string" && Object.hasOwn(faults, code) ? faults[code] : undefined;
  return typeof path === "string" && fault !== undefined ? `${path}: ${fault} (${code}).` : null;
}

/** The stack frames in the user's own files, not in Node, this program or its packages. */
export const listOwnFrames = (stack: string): string =>
  stack
    .split("\n")
    .filter((line) => /^\s+at .*file:/.test(line) && !PROGRAM_FOLDERS.some((folder) => line.includes(folder)))
    .map((line) => `    ${line.trim().replace("file://", "")}`)
    .join("\n");

/** A bot's error with the stack frames in the author's file, and the frame that the bot saw. */
function toBotMessage({ message, cause, frame }: ArcadeBotError): string {
  const own = cause instanceof Error ? listOwnFrames(cause.stack ?? "") : "";
  const { score, lives, hunger, pawn, entities } = frame;
  const seen = JSON.stringify({ score, lives, hunger, pawn, entities: entities?.length });
  return [message, ...(own === "" ? [] : [own]), `    frame: ${seen}`].join("\n");
}

/**
 * The message for the user. viem's messages repeat the whole request with its calldata, so only their first sentence
 * and the node's message are used.
 */
export function toMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ArcadeBotError) return toBotMessage(error);
  const fault = findUnreportedFault(error);
  if (fault !== null) return fault.message;
  const pathMessage = toPathMessage(error as { code?: unknown });
  if (pathMessage !== null) return pathMessage;
  const { shortMessage, details } = error as { shortMessage?: unknown; details?: unknown };
  if (typeof shortMessage !== "string") return error.message;
  const detailText =
    typeof details === "string" && details !== "" && !shortMessage.includes(details) ? ` (${details})` : "";
  return `${shortMessage}${detailText}`;
}

/** A failure as fields for `--json`. */
export function toFailure(error: unknown) {
  const { code, requestId, step } = error as {
    code?: unknown;
    requestId?: unknown;
    step?: unknown;
  };
  const fallbackCode = getExitCode(error) === EXIT.usage ? "USAGE" : "FAULT";
  return {
    ...(typeof step === "string" ? { step } : {}),
    code: typeof code === "string" ? code : fallbackCode,
    error: toMessage(error),
    next: getNextStep(error),
    ...(typeof requestId === "string" ? { requestId } : {}),
    exitCode: getExitCode(error),
  };
}
