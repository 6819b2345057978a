/** Turns keys and touches into the game's messages, for any game with directions or single actions. */
import type { Game, InputCode } from "../../games/game.ts";
import { createKeyBindings, type KeyBinding } from "./key-bindings.ts";

type InputMessage = InputCode["message"];

/** Turns presses and releases into messages. Of several held directions, the latest counts. */
export class Controls {
  readonly bindings: readonly KeyBinding[];
  readonly #neutralMessage: InputMessage | null;
  readonly #send: (message: InputMessage) => void;
  readonly #heldBindings: KeyBinding[] = [];
  #activeMessage: InputMessage | null;

  constructor(game: Pick<Game, "inputs">, send: (message: InputMessage) => void) {
    this.bindings = createKeyBindings(game);
    this.#neutralMessage =
      game.inputs.find(({ message }) => message.t === "input" && message.dir === "none")?.message ?? null;
    this.#activeMessage = this.#neutralMessage;
    this.#send = send;
  }

  /** True if the game uses the key, so that the page does not scroll. */
  keyDown(code: string, isRepeat: boolean): boolean {
    const binding = this.#findBinding(code);
    if (binding !== undefined && !isRepeat) this.press(binding);
    return binding !== undefined;
  }

  keyUp(code: string): void {
    const binding = this.#findBinding(code);
    if (binding !== undefined) this.release(binding);
  }

  press(binding: KeyBinding): void {
    if (!binding.isHeld) {
      this.#send(binding.message);
      return;
    }
    this.#removeHeld(binding);
    this.#heldBindings.push(binding);
    this.#sendActiveMessage();
  }

  release(binding: KeyBinding): void {
    this.#removeHeld(binding);
    this.#sendActiveMessage();
  }

  /** Releases all keys, because the page lost the keyboard focus. */
  releaseAll(): void {
    this.#heldBindings.length = 0;
    this.#sendActiveMessage();
  }

  #findBinding(code: string): KeyBinding | undefined {
    return this.bindings.find(({ keys }) => keys.includes(code));
  }

  #removeHeld(binding: KeyBinding): void {
    const index = this.#heldBindings.indexOf(binding);
    if (index >= 0) this.#heldBindings.splice(index, 1);
  }

  #sendActiveMessage(): void {
    const nextMessage = this.#heldBindings.at(-1)?.message ?? this.#neutralMessage;
    if (nextMessage === null || nextMessage === this.#activeMessage) return;
    this.#activeMessage = nextMessage;
    this.#send(nextMessage);
  }
}
