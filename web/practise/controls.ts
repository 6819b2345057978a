/** From keys and fingers to the game's own messages. Any game with directions or single actions can be played. */
import type { Game, InputCode } from "../../backend/games/game.ts";
import { type Grip, gripsOf } from "./grips.ts";

type Message = InputCode["message"];

/** Turns presses and releases into messages; the latest direction still held is the one in force. */
export class Controls {
  readonly grips: readonly Grip[];
  readonly #none: Message | null;
  readonly #send: (message: Message) => void;
  readonly #held: Grip[] = [];
  #inForce: Message | null;

  constructor(game: Pick<Game, "inputs">, send: (message: Message) => void) {
    this.grips = gripsOf(game);
    this.#none = game.inputs.find(({ message }) => message.t === "input" && message.dir === "none")?.message ?? null;
    this.#inForce = this.#none;
    this.#send = send;
  }

  /** True where the key is one of the game's, so that the page does not scroll by it. */
  keyDown(code: string, isRepeat: boolean): boolean {
    const grip = this.#gripOf(code);
    if (grip !== undefined && !isRepeat) this.press(grip);
    return grip !== undefined;
  }

  keyUp(code: string): void {
    const grip = this.#gripOf(code);
    if (grip !== undefined) this.release(grip);
  }

  press(grip: Grip): void {
    if (!grip.isHeld) {
      this.#send(grip.message);
      return;
    }
    this.#forget(grip);
    this.#held.push(grip);
    this.#steer();
  }

  release(grip: Grip): void {
    this.#forget(grip);
    this.#steer();
  }

  /** Lets go of everything: the page lost the keyboard. */
  releaseAll(): void {
    this.#held.length = 0;
    this.#steer();
  }

  #gripOf(code: string): Grip | undefined {
    return this.grips.find(({ keys }) => keys.includes(code));
  }

  #forget(grip: Grip): void {
    const at = this.#held.indexOf(grip);
    if (at >= 0) this.#held.splice(at, 1);
  }

  #steer(): void {
    const wanted = this.#held.at(-1)?.message ?? this.#none;
    if (wanted === null || wanted === this.#inForce) return;
    this.#inForce = wanted;
    this.#send(wanted);
  }
}
