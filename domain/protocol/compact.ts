/**
 * Compact frames: the frame of the spectate channel as bytes instead of JSON text (`?enc=compact`). The format is
 * independent of games: it writes any JSON value with two dictionaries that grow with new values. docs/compact-spectating.md is
 * the whole description.
 */
import type { z } from "zod";
import type { compactMessage } from "./messages.ts";

/** New entries of the two dictionaries; sent as JSON text before the first frame that uses them. */
export type CompactMessage = z.infer<typeof compactMessage>;

/** A key whose value is written in each frame, or a key with the value it always has in this shape. */
export type ShapeField = CompactMessage["shapes"][number][number];

/** The first byte of every binary message. */
export const COMPACT_VERSION = 1;

/** The low two bits of a value's head; the rest of the head is the number named here. */
export const TAGS = {
  /** The integer itself, zigzag. */
  integer: 0,
  /** The index of a word; 0 means that a JSON text follows. */
  word: 1,
  /** The index of a shape; the values of its open keys follow. */
  object: 2,
  /** The length of a list; its elements follow. */
  list: 3,
} as const;

export const COMPACT_LIMITS = {
  /** Entries of each dictionary; beyond it values are written as JSON text. */
  words: 1024,
  shapes: 1024,
  /** Characters of a string that becomes a word. */
  wordLength: 64,
  /** Magnitude of an integer that is written as one; larger ones are JSON text. */
  integer: 2 ** 48,
} as const;
