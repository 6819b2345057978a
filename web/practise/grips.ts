/** Which keys and which part of the picture give which of a game's inputs, and how that is said. */
import type { Game, InputCode } from "../../backend/games/game.ts";

/** One input within reach of a player. */
export interface Grip {
  readonly message: InputCode["message"];
  readonly isHeld: boolean;
  /** `left`, `flap`. */
  readonly word: string;
  /** `KeyboardEvent.code` of each key. */
  readonly keys: readonly string[];
}

const DIRECTION_KEYS: { readonly [word: string]: readonly string[] } = {
  left: ["ArrowLeft", "KeyA"],
  right: ["ArrowRight", "KeyD"],
  up: ["ArrowUp", "KeyW"],
  down: ["ArrowDown", "KeyS"],
};
/** For actions that are no direction, in their order. */
const ACTION_KEYS: readonly (readonly string[])[] = [["Space", "ArrowUp", "KeyW"], ["KeyE"], ["KeyQ"]];

const wordOf = (message: InputCode["message"]): string =>
  (message.t === "input" ? message.dir : message.action).toLowerCase();

/** Every input that does something; letting go is `none` of the held ones. */
export function gripsOf({ inputs }: Pick<Game, "inputs">): readonly Grip[] {
  const acting = inputs.filter(({ mode, message }) => mode !== "idle" && wordOf(message) !== "none");
  const words = acting.map(({ message }) => wordOf(message));
  const taken = new Set(words.flatMap((word) => DIRECTION_KEYS[word] ?? []));
  const others = words.filter((word) => DIRECTION_KEYS[word] === undefined);
  return acting.map(({ message, mode }) => {
    const word = wordOf(message);
    const keys = DIRECTION_KEYS[word] ?? (ACTION_KEYS[others.indexOf(word)] ?? []).filter((key) => !taken.has(key));
    return { message, isHeld: mode === "held", word, keys };
  });
}

type Layout = "sides" | "levels" | "whole";

/** How the picture is divided among fingers. */
export function layoutOf(grips: readonly Grip[]): Layout {
  const has = (word: string): boolean => grips.some((grip) => grip.word === word);
  if (has("left") && has("right")) return "sides";
  return has("up") && has("down") ? "levels" : "whole";
}

/** What a finger gives at a place of the picture; `x` and `y` go from 0 to 1. */
export function gripAt(grips: readonly Grip[], x: number, y: number): Grip | undefined {
  const words = { sides: x < 0.5 ? "left" : "right", levels: y < 0.5 ? "up" : "down", whole: grips[0]?.word };
  const word = words[layoutOf(grips)];
  return grips.find((grip) => grip.word === word);
}

const KEY_WORDS: { readonly [code: string]: string } = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
};

/** What stands on a key. */
export const keyWord = (code: string): string => KEY_WORDS[code] ?? code.replace("Key", "");

export const titleOf = ({ word }: Grip): string => word.charAt(0).toUpperCase() + word.slice(1);

const TOUCH: { readonly [layout in Layout]: string } = {
  sides: "the left or the right half",
  levels: "the upper or the lower half",
  whole: "anywhere",
};

export const touchSentence = (grips: readonly Grip[]): string =>
  `Touch: ${grips.some(({ isHeld }) => isHeld) ? "hold" : "tap"} ${TOUCH[layoutOf(grips)]}.`;

/** What to do, in a sentence before the first run. */
export function hintSentence(grips: readonly Grip[]): string {
  switch (layoutOf(grips)) {
    case "sides":
      return "Steer with the arrow keys or A and D, or hold a thumb on either half of the picture.";
    case "levels":
      return "Steer with the arrow keys or W and S, or tap the upper or the lower half of the picture.";
    case "whole":
      return grips[0] === undefined
        ? "Watch what happens."
        : `${titleOf(grips[0])} with space or the up arrow, or tap the picture.`;
  }
}
