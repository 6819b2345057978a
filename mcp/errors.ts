/** What the tools of the MCP server report beside the service's own errors. */

/**
 * POLICY_INVALID: the text is not a policy; POLICY_FAILED: it threw, or its move is not one of the game's;
 * POLICY_TIMEOUT: it did not return; POLICY_MEMORY: it used too much memory; BUSY: as many simulations or games run as
 * this server allows; TOKEN_REQUIRED: the tool needs an access token; PLAY_UNKNOWN: no such session is played here.
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
