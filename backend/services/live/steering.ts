import type { Game, InputCode } from "../../games/game.ts";

const keyOf = (message: InputCode["message"]): string =>
  message.t === "input" ? `input ${message.dir}` : `action ${message.action}`;

/** The inputs that wait for the next tick: the latest held one, and each single one once. */
export class Steering {
  readonly #inputs = new Map<string, InputCode>();
  readonly #neutral: number | null;
  #inForce: number | null;
  #nextHeld: number | null = null;
  #nextOnce: number[] = [];

  /** `recorded`: the codes already played, so that a restored game knows which input is in force. */
  constructor(game: Pick<Game, "inputs">, recorded: readonly (readonly [number, number])[] = []) {
    for (const input of game.inputs) this.#inputs.set(keyOf(input.message), input);
    const held = game.inputs.filter((input) => input.mode === "held");
    const idle = held.find((input) => input.message.t === "input" && input.message.dir === "none");
    this.#neutral = idle?.code ?? null;
    const heldCodes = new Set(held.map((input) => input.code));
    this.#inForce = recorded.findLast(([, code]) => heldCodes.has(code))?.[1] ?? this.#neutral;
  }

  /** False where the game does not know the message. */
  accept(message: InputCode["message"]): boolean {
    const input = this.#inputs.get(keyOf(message));
    if (input === undefined) return false;
    if (input.mode === "held") this.#nextHeld = input.code;
    else if (input.mode === "once" && !this.#nextOnce.includes(input.code)) this.#nextOnce.push(input.code);
    return true;
  }

  /** Nobody steers any more. */
  release(): void {
    this.#nextHeld = this.#neutral;
    this.#nextOnce = [];
  }

  /** The codes of the next step: a held one only where it changes something. */
  take(): readonly number[] {
    const held = this.#nextHeld;
    const codes = this.#nextOnce;
    this.#nextHeld = null;
    if (codes.length > 0) this.#nextOnce = [];
    if (held === null || held === this.#inForce) return codes;
    this.#inForce = held;
    return [held, ...codes];
  }
}
