/** Errors of the MCP server's tools, in addition to the service's own. */
import type { Forfeit } from "../domain/league/course.ts";
import { type FaultKind, PolicyFault } from "../domain/league/policy-fault.ts";

/**
 * POLICY_INVALID: the text is not a policy; POLICY_FAILED: it threw, or its move is not one of the game's;
 * POLICY_TIMEOUT: it used too much fuel or did not return; POLICY_MEMORY: it used too much memory; BUSY: this server
 * already runs its maximum of simulations or games; TOKEN_REQUIRED: the tool needs an access token; PLAY_UNKNOWN: no
 * such session is played here.
 */
export type ToolErrorCode =
  | "VALIDATION_FAILED"
  | "UNKNOWN_FIELD"
  | "POLICY_INVALID"
  | "POLICY_FAILED"
  | "POLICY_TIMEOUT"
  | "POLICY_MEMORY"
  | "BUSY"
  | "TOKEN_REQUIRED"
  | "PLAY_UNKNOWN";

export class ToolError extends Error {
  readonly code: ToolErrorCode;
  /** True: the same call may succeed later. */
  readonly retryable: boolean;
  readonly fields: { readonly [field: string]: unknown };

  constructor(code: ToolErrorCode, message: string, fields: { readonly [field: string]: unknown } = {}) {
    super(message);
    this.name = "ToolError";
    this.code = code;
    this.retryable = code === "BUSY";
    this.fields = fields;
  }
}

const FAULT_CODES: { readonly [kind in FaultKind]: ToolErrorCode } = {
  text: "POLICY_INVALID",
  fuel: "POLICY_TIMEOUT",
  stopped: "POLICY_TIMEOUT",
  memory: "POLICY_MEMORY",
  stack: "POLICY_FAILED",
  error: "POLICY_FAILED",
  move: "POLICY_FAILED",
};

const describe = (text: string, line: number | null, column: number | null, tick: number | null): string => {
  const place = line === null ? "" : ` in line ${line}, column ${column}`;
  return `The policy failed${place}${tick === null ? "" : ` at tick ${tick}`}: ${text.replace(/\.$/, "")}.`;
};

/** Throws a policy's fault as a tool error, and any other error unchanged. */
export function throwToolError(error: unknown, tick: number | null = null): never {
  if (!(error instanceof PolicyFault)) throw error;
  const { kind, message, line, column } = error;
  throw new ToolError(FAULT_CODES[kind], describe(message, line, column, tick), { line, column, tick });
}

export const forfeitToToolError = ({ reason, text, tick, line, column }: Forfeit, seed: number): ToolError =>
  new ToolError(FAULT_CODES[reason], describe(text, line, column, tick), { line, column, tick, seed });
