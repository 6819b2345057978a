/** Why a policy is rejected, or forfeits a course. */

/**
 * `text`: it does not parse, is too long or has no entry point; `fuel`, `memory`, `stack`: it exceeded a bound; `error`: it
 * threw; `move`: its move is too long; `stopped`: its process was ended from outside.
 */
export type FaultKind = "text" | "fuel" | "memory" | "stack" | "error" | "move" | "stopped";

const ENTRY_POINT_EXAMPLE = "(frame, memory) => frame.pawn.y > 300 ? { t: 'action', action: 'FLAP' } : null";

const MESSAGE_CHARACTERS = 300;

export class PolicyFault extends Error {
  readonly kind: FaultKind;
  readonly line: number | null;
  readonly column: number | null;

  constructor(
    kind: FaultKind,
    message: string,
    place: { readonly line: number; readonly column: number } | null = null,
  ) {
    super(message.slice(0, MESSAGE_CHARACTERS));
    this.name = "PolicyFault";
    this.kind = kind;
    this.line = place?.line ?? null;
    this.column = place?.column ?? null;
  }

  static withoutEntry(): PolicyFault {
    return new PolicyFault("text", `the text gives no function; expected for example: ${ENTRY_POINT_EXAMPLE}`);
  }

  /** From the engine's information about a thrown value. */
  static fromError(name: string, message: string, stack: string): PolicyFault {
    const found = /policy\.js:(\d+)(?::(\d+))?/.exec(stack);
    const place = found === null ? null : { line: Number(found[1]), column: Number(found[2] ?? 1) };
    if (name === "InternalError" && message === "out of memory") return new PolicyFault("memory", message, place);
    if (message === "stack overflow" || message === "Maximum call stack size exceeded")
      return new PolicyFault("stack", message, place);
    if (name === "SyntaxError") return new PolicyFault("text", message, place);
    return new PolicyFault("error", message === "" ? name || "it threw" : message, place);
  }
}
