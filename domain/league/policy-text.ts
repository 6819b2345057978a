import { PolicyFault } from "./policy-fault.ts";

export const POLICY_BOUNDS = {
  /** Of the text in UTF-8. */
  textBytes: 65_536,
  /** A unit of fuel is a call, a step of a loop, or an element that a built-in function reads or makes. */
  tickFuel: 200_000,
  /** A course has this much for each tick that it can have, on top of loading. */
  meanTickFuel: 10_000,
  loadFuel: 2_000_000,
  /** The engine starts with 16 MB, most of them free. */
  memoryBytes: 24 * 1024 * 1024,
  allocationBytes: 4 * 1024 * 1024,
  /** Low enough that the engine's own limit comes before that of the machine's stack. */
  stackBytes: 48 * 1024,
  /** Elements and characters that one built-in function takes. */
  nativeLength: 65_536,
  moveCharacters: 256,
} as const;

/** Numbers such as `10n`: multiplying long ones is a native loop without fuel. */
const BIG_INTEGER = /(?<![\w$.])\d[\w]*n(?![\w$])/;

/** A database may be unable to store them. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

// The fence's characters occur in no other part of its line, so that a long line of them is read only once.
const FENCED = /^\s*(`{3,}|~{3,})[^\n`~]*\n(.*?)\r?\n[ \t]*\1\s*$/s;

/** The text without the Markdown fence that language models put around code. */
export const stripFence = (text: string): string => FENCED.exec(text)?.[2] ?? text;

const getPlace = (text: string, index: number): { line: number; column: number } => {
  const before = text.slice(0, index).split("\n");
  return { line: before.length, column: before.at(-1)!.length + 1 };
};

/** Checks that need no run of the text. Throws `PolicyFault`. */
export function checkPolicyText(text: string): void {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > POLICY_BOUNDS.textBytes)
    throw new PolicyFault("text", `expected at most ${POLICY_BOUNDS.textBytes} bytes, received ${bytes}`);
  const unstorable = UNSTORABLE.exec(text);
  if (unstorable !== null)
    throw new PolicyFault(
      "text",
      "a policy has no NUL and no half of a character; write it as an escape such as \\0",
      getPlace(text, unstorable.index),
    );
  const big = BIG_INTEGER.exec(text);
  if (big !== null)
    throw new PolicyFault(
      "text",
      `a policy has no big integers such as ${big[0].slice(0, 20)}`,
      getPlace(text, big.index),
    );
}
