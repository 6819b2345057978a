import { COMPACT_LIMITS, COMPACT_VERSION, type CompactMessage, type ShapeField, TAGS } from "./compact.ts";

/**
 * Keys that say the same in frame after frame (an entity's kind and size, the session): their values stand in the
 * shape. One that changes too often is written like any other.
 */
const STEADY_KEYS: ReadonlySet<string> = new Set("v sessionId slug livesMax hungerMax max kind class w h".split(" "));
const STEADY_VALUES_MAX = 64;

type Fields = { readonly [key: string]: unknown };

interface Shape {
  readonly index: number;
  readonly fields: readonly ShapeField[];
  readonly openKeys: readonly string[];
}

/** The shapes as a tree: one step for each key, one more for the value of a steady key. */
interface Step {
  readonly keys: Map<string, Step>;
  readonly values: Map<unknown, Step>;
  shape: Shape | null;
}

const makeStep = (): Step => ({ keys: new Map(), values: new Map(), shape: null });
const utf8 = new TextEncoder();

function stepInto(steps: Map<unknown, Step>, key: unknown): Step {
  let next = steps.get(key);
  if (next === undefined) {
    next = makeStep();
    steps.set(key, next);
  }
  return next;
}

/** Writes the frames of one session. Its dictionaries are shared by all sockets that read what it writes. */
export class CompactEncoder {
  readonly #root = makeStep();
  readonly #words: (string | boolean | null)[] = [];
  readonly #wordIndex = new Map<string | boolean | null, number>();
  readonly #shapes: Shape[] = [];
  #told = { words: 0, shapes: 0 };
  #bytes = new Uint8Array(512);
  #at = 0;

  /** A frame (or any other JSON value) as bytes, without the head of its message. */
  encode(value: unknown): Uint8Array {
    this.#at = 0;
    this.#write(value);
    return this.#bytes.slice(0, this.#at);
  }

  /** The entries made since the last call, null where there are none. Every reader needs them before the frame. */
  takeNew(): CompactMessage | null {
    const { words, shapes } = this.#told;
    this.#told = { words: this.#words.length, shapes: this.#shapes.length };
    return this.#entriesFrom(words, shapes);
  }

  /** All entries a reader who comes now has missed, null where there are none. */
  entries(): CompactMessage | null {
    return this.#entriesFrom(0, 0);
  }

  #entriesFrom(words: number, shapes: number): CompactMessage | null {
    if (words === this.#words.length && shapes === this.#shapes.length) return null;
    return {
      t: "compact",
      v: COMPACT_VERSION,
      // Word 0 is no word: it announces a JSON text.
      firstWord: words + 1,
      words: this.#words.slice(words),
      firstShape: shapes,
      shapes: this.#shapes.slice(shapes).map(({ fields }) => [...fields]),
    };
  }

  #write(value: unknown): void {
    if (typeof value === "number") this.#writeNumber(value);
    else if (typeof value === "string" || typeof value === "boolean" || value === null) this.#writeWord(value);
    else if (Array.isArray(value)) {
      this.#head(TAGS.list, value.length);
      for (const element of value) this.#write(element ?? null);
    } else if (typeof value === "object") this.#writeObject(value as Fields);
    else throw new TypeError(`CompactEncoder: expected a JSON value, received a ${typeof value}`);
  }

  #writeNumber(value: number): void {
    if (!Number.isInteger(value) || Math.abs(value) > COMPACT_LIMITS.integer) this.#writeText(value);
    else this.#head(TAGS.integer, value < 0 ? -2 * value - 1 : 2 * value);
  }

  #writeWord(value: string | boolean | null): void {
    let index = this.#wordIndex.get(value);
    if (index === undefined) {
      const isLong = typeof value === "string" && value.length > COMPACT_LIMITS.wordLength;
      if (isLong || this.#words.length >= COMPACT_LIMITS.words) {
        this.#writeText(value);
        return;
      }
      index = this.#words.push(value);
      this.#wordIndex.set(value, index);
    }
    this.#head(TAGS.word, index);
  }

  #writeObject(value: Fields): void {
    const shape = this.#shapeOf(value);
    if (shape === null) {
      this.#writeText(value);
      return;
    }
    this.#head(TAGS.object, shape.index);
    for (const key of shape.openKeys) this.#write(value[key]);
  }

  #writeText(value: unknown): void {
    const text = utf8.encode(JSON.stringify(value));
    this.#head(TAGS.word, 0);
    this.#varint(text.length);
    this.#makeRoom(text.length);
    this.#bytes.set(text, this.#at);
    this.#at += text.length;
  }

  /** Null where the dictionary is full. */
  #shapeOf(value: Fields): Shape | null {
    let step = this.#root;
    for (const key in value) {
      const inner = value[key];
      if (inner === undefined) continue;
      step = stepInto(step.keys, key);
      if (STEADY_KEYS.has(key) && isSteady(inner) && (step.values.has(inner) || step.values.size < STEADY_VALUES_MAX)) {
        step = stepInto(step.values, inner);
      }
    }
    if (step.shape === null && this.#shapes.length < COMPACT_LIMITS.shapes) step.shape = this.#makeShape(value);
    return step.shape;
  }

  #makeShape(value: Fields): Shape {
    const fields: ShapeField[] = [];
    let step = this.#root;
    for (const key in value) {
      const inner = value[key];
      if (inner === undefined) continue;
      step = step.keys.get(key)!;
      const steady = STEADY_KEYS.has(key) && isSteady(inner) ? step.values.get(inner) : undefined;
      if (steady === undefined) fields.push(key);
      else {
        fields.push([key, inner as string | number]);
        step = steady;
      }
    }
    const openKeys = fields.filter((field) => typeof field === "string");
    const shape = { index: this.#shapes.length, fields, openKeys };
    this.#shapes.push(shape);
    return shape;
  }

  #head(tag: number, number: number): void {
    this.#varint(number * 4 + tag);
  }

  /** LEB128. */
  #varint(number: number): void {
    this.#makeRoom(8);
    let rest = number;
    while (rest > 0x7f) {
      this.#bytes[this.#at++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at++] = rest;
  }

  #makeRoom(count: number): void {
    if (this.#at + count <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#at + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

const isSteady = (value: unknown): boolean =>
  typeof value === "string" ? value.length <= COMPACT_LIMITS.wordLength : Number.isSafeInteger(value);

/** The binary message of an encoded frame; `skipped`: frames its socket missed since the one before. */
export function compactFrame(body: Uint8Array, skipped: number): Uint8Array {
  const head = [COMPACT_VERSION];
  let rest = skipped;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) head.push((rest % 128) | 0x80);
  head.push(rest);
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  return message;
}
