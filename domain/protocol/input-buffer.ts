import type { Game, InputCode } from "../../games/game.ts";

/** What a player sends to steer. */
export type PlayerInput = InputCode["message"];

const toKey = (message: PlayerInput): string =>
  message.t === "input" ? `input ${message.dir}` : `action ${message.action}`;

/** Whether a game knows an input. */
export const isGameInput = ({ inputs }: Pick<Game, "inputs">, message: PlayerInput): boolean =>
  inputs.some((input) => toKey(input.message) === toKey(message));

/** The inputs for the next tick: the latest held one, and each one-shot input once. */
export class InputBuffer {
  readonly #inputs = new Map<string, InputCode>();
  readonly #neutralCode: number | null;
  #activeCode: number | null;
  #nextHeld: number | null = null;
  #nextOnce: number[] = [];

  /** `recorded`: the codes that were already played; the last held one of them is active. */
  constructor(game: Pick<Game, "inputs">, recorded: readonly (readonly [number, number])[] = []) {
    for (const input of game.inputs) this.#inputs.set(toKey(input.message), input);
    const held = game.inputs.filter((input) => input.mode === "held");
    const idle = held.find((input) => input.message.t === "input" && input.message.dir === "none");
    this.#neutralCode = idle?.code ?? null;
    const heldCodes = new Set(held.map((input) => input.code));
    this.#activeCode = recorded.findLast(([, code]) => heldCodes.has(code))?.[1] ?? this.#neutralCode;
  }

  /** False when the game does not know the message. */
  add(message: InputCode["message"]): boolean {
    const input = this.#inputs.get(toKey(message));
    if (input === undefined) return false;
    if (input.mode === "held") this.#nextHeld = input.code;
    else if (input.mode === "once" && !this.#nextOnce.includes(input.code)) this.#nextOnce.push(input.code);
    return true;
  }

  /** Releases the held input and drops the waiting ones, because no player controls the game. */
  releaseHeld(): void {
    this.#nextHeld = this.#neutralCode;
    this.#nextOnce = [];
  }

  /** Removes and returns the codes of the next step; a held code is among them only if it changes. */
  drain(): readonly number[] {
    const held = this.#nextHeld;
    const codes = this.#nextOnce;
    this.#nextHeld = null;
    if (codes.length > 0) this.#nextOnce = [];
    if (held === null || held === this.#activeCode) return codes;
    this.#activeCode = held;
    return [held, ...codes];
  }
}
