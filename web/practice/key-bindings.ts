/** Maps keys and parts of the picture to a game's inputs, and explains them to the player. */
import type { Game, InputCode } from "../../games/game.ts";

/** One input within reach of a player. */
export interface KeyBinding {
  readonly message: InputCode["message"];
  readonly isHeld: boolean;
  /** `left`, `flap`. */
  readonly name: string;
  /** `KeyboardEvent.code` of each key. */
  readonly keys: readonly string[];
}

const DIRECTION_KEYS: { readonly [word: string]: readonly string[] } = {
  left: ["ArrowLeft", "KeyA"],
  right: ["ArrowRight", "KeyD"],
  up: ["ArrowUp", "KeyW"],
  down: ["ArrowDown", "KeyS"],
};
/** For actions other than directions, in their order. */
const ACTION_KEYS: readonly (readonly string[])[] = [["Space", "ArrowUp", "KeyW"], ["KeyE"], ["KeyQ"]];

const getInputName = (message: InputCode["message"]): string =>
  (message.t === "input" ? message.dir : message.action).toLowerCase();

/** Every input but the idle ones and `none`, which releases a held one. */
export function createKeyBindings({ inputs }: Pick<Game, "inputs">): readonly KeyBinding[] {
  const activeInputs = inputs.filter(({ mode, message }) => mode !== "idle" && getInputName(message) !== "none");
  const names = activeInputs.map(({ message }) => getInputName(message));
  const directionKeys = new Set(names.flatMap((name) => DIRECTION_KEYS[name] ?? []));
  const actionNames = names.filter((name) => DIRECTION_KEYS[name] === undefined);
  return activeInputs.map(({ message, mode }) => {
    const name = getInputName(message);
    const keys =
      DIRECTION_KEYS[name] ?? (ACTION_KEYS[actionNames.indexOf(name)] ?? []).filter((key) => !directionKeys.has(key));
    return { message, isHeld: mode === "held", name, keys };
  });
}

type TouchLayout = "edges" | "sides" | "levels" | "whole";

/** How the picture is divided into touch areas. */
export function getTouchLayout(bindings: readonly KeyBinding[]): TouchLayout {
  const has = (name: string): boolean => bindings.some((binding) => binding.name === name);
  const sides = has("left") && has("right");
  const levels = has("up") && has("down");
  if (sides && levels) return "edges";
  if (sides) return "sides";
  return levels ? "levels" : "whole";
}

/** The input for a touch at a place in the picture; `x` and `y` range from 0 to 1. */
export function findBindingAt(bindings: readonly KeyBinding[], x: number, y: number): KeyBinding | undefined {
  const sides = x < 0.5 ? "left" : "right";
  const levels = y < 0.5 ? "up" : "down";
  const edges = Math.abs(x - 0.5) > Math.abs(y - 0.5) ? sides : levels;
  const names = { edges, sides, levels, whole: bindings[0]?.name };
  const name = names[getTouchLayout(bindings)];
  return bindings.find((binding) => binding.name === name);
}

const KEY_LABELS: { readonly [code: string]: string } = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
};

/** The label of a key. */
export const getKeyLabel = (code: string): string => KEY_LABELS[code] ?? code.replace("Key", "");

export const getBindingTitle = ({ name }: KeyBinding): string => name.charAt(0).toUpperCase() + name.slice(1);

const TOUCH_AREA_LABELS: { readonly [layout in TouchLayout]: string } = {
  edges: "near an edge to move there",
  sides: "the left or the right half",
  levels: "the upper or the lower half",
  whole: "anywhere",
};

export const getTouchHint = (bindings: readonly KeyBinding[]): string =>
  `Touch: ${bindings.some(({ isHeld }) => isHeld) ? "hold" : "tap"} ${TOUCH_AREA_LABELS[getTouchLayout(bindings)]}.`;

/** The sentence that explains the controls before the first run. */
export function getControlsHint(bindings: readonly KeyBinding[]): string {
  switch (getTouchLayout(bindings)) {
    case "edges":
      return "Steer with the arrow keys or W, A, S and D, or touch the picture near an edge to move there.";
    case "sides":
      return "Steer with the arrow keys or A and D, or hold a thumb on either half of the picture.";
    case "levels":
      return "Steer with the arrow keys or W and S, or tap the upper or the lower half of the picture.";
    case "whole":
      return bindings[0] === undefined
        ? "This game has no controls."
        : `${getBindingTitle(bindings[0])} with space or the up arrow, or tap the picture.`;
  }
}
