/** From keys and fingers to the game's own messages. Any game with directions or single actions can be played. */
import type { Game, InputCode } from "../../backend/games/game.ts";

type Message = InputCode["message"];

export type Touch = { readonly kind: "steer"; readonly dir: "left" | "right" } | { readonly kind: "act" };

const DIRECTION_KEYS: { readonly [code: string]: "left" | "right" } = {
  ArrowLeft: "left",
  KeyA: "left",
  ArrowRight: "right",
  KeyD: "right",
};
const ACTION_KEYS = new Set(["Space", "ArrowUp", "KeyW"]);

/** Turns presses and releases into messages; the latest direction still held is the one in force. */
export class Controls {
  readonly #directions: ReadonlyMap<string, Message>;
  readonly #action: Message | null;
  readonly #send: (message: Message) => void;
  readonly #held: string[] = [];
  #inForce = "none";

  constructor(game: Pick<Game, "inputs">, send: (message: Message) => void) {
    this.#directions = new Map(
      game.inputs.flatMap(({ message }) => (message.t === "input" ? [[message.dir, message] as const] : [])),
    );
    this.#action = game.inputs.find((input) => input.mode === "once")?.message ?? null;
    this.#send = send;
  }

  get steers(): boolean {
    return this.#directions.has("left");
  }
  get acts(): boolean {
    return this.#action !== null;
  }

  /** True where the key is one of the game's, so that the page does not scroll by it. */
  keyDown(code: string, isRepeat: boolean): boolean {
    const dir = DIRECTION_KEYS[code];
    if (dir !== undefined && this.steers) {
      if (!isRepeat) this.press({ kind: "steer", dir });
      return true;
    }
    if (!ACTION_KEYS.has(code) || !this.acts) return false;
    if (!isRepeat) this.press({ kind: "act" });
    return true;
  }

  keyUp(code: string): void {
    const dir = DIRECTION_KEYS[code];
    if (dir !== undefined && this.steers) this.release({ kind: "steer", dir });
  }

  press(touch: Touch): void {
    if (touch.kind === "act") {
      if (this.#action !== null) this.#send(this.#action);
    } else {
      this.#forget(touch.dir);
      this.#held.push(touch.dir);
      this.#steer();
    }
  }

  release(touch: Touch): void {
    if (touch.kind === "act") return;
    this.#forget(touch.dir);
    this.#steer();
  }

  /** Lets go of everything: the page lost the keyboard. */
  releaseAll(): void {
    this.#held.length = 0;
    this.#steer();
  }

  #forget(dir: string): void {
    const at = this.#held.indexOf(dir);
    if (at >= 0) this.#held.splice(at, 1);
  }

  #steer(): void {
    const wanted = this.#held.at(-1) ?? "none";
    const message = this.#directions.get(wanted);
    if (wanted === this.#inForce || message === undefined) return;
    this.#inForce = wanted;
    this.#send(message);
  }
}
