import { COMPACT_LIMITS, COMPACT_VERSION, type CompactMessage, type ShapeField, TAGS } from "./compact.ts";

/**
 * Keys whose values repeat from frame to frame (an entity's kind and size, the session): shapes contain their values. A
 * value that changes too often is written like any other.
 */
const CONSTANT_KEYS: ReadonlySet<string> = new Set("v sessionId slug livesMax hungerMax max kind class w h".split(" "));
const CONSTANT_VALUES_MAX = 64;

type Fields = { readonly [key: string]: unknown };

interface Shape {
  readonly index: number;
  readonly fields: readonly ShapeField[];
  /** The keys of all fields, and the values of those that are constants; undefined for the others. */
  readonly keys: readonly string[];
  readonly constants: readonly unknown[];
}

/** The shapes as a tree: one step for each key, one more for the value of a steady key. */
interface TrieNode {
  readonly keys: Map<string, TrieNode>;
  readonly values: Map<unknown, TrieNode>;
  shape: Shape | null;
}

const createNode = (): TrieNode => ({ keys: new Map(), values: new Map(), shape: null });
const utf8 = new TextEncoder();

function getOrCreateNode(nodes: Map<unknown, TrieNode>, key: unknown): TrieNode {
  let next = nodes.get(key);
  if (next === undefined) {
    next = createNode();
    nodes.set(key, next);
  }
  return next;
}

/** Writes the frames of one session. All sockets that read them share its dictionaries. */
export class CompactEncoder {
  readonly #root = createNode();
  readonly #words: (string | boolean | null)[] = [];
  readonly #wordIndex = new Map<string | boolean | null, number>();
  readonly #shapes: Shape[] = [];
  /** The shape of each object of the last frame, in writing order: the next frame usually has the same. */
  readonly #lastShapes: (Shape | null)[] = [];
  #objects = 0;
  #sent = { words: 0, shapes: 0 };
  #bytes = new Uint8Array(512);
  #offset = 0;

  /** A frame (or any other JSON value) as bytes, without the head of its message. */
  encode(value: unknown): Uint8Array {
    this.#offset = 0;
    this.#objects = 0;
    this.#write(value);
    return this.#bytes.slice(0, this.#offset);
  }

  /** The entries since the last call; null if there are none. Every reader needs them before the frame. */
  takeNewEntries(): CompactMessage | null {
    const { words, shapes } = this.#sent;
    this.#sent = { words: this.#words.length, shapes: this.#shapes.length };
    return this.#entriesFrom(words, shapes);
  }

  /** All entries so far, for a new reader; null if there are none. */
  allEntries(): CompactMessage | null {
    return this.#entriesFrom(0, 0);
  }

  #entriesFrom(words: number, shapes: number): CompactMessage | null {
    if (words === this.#words.length && shapes === this.#shapes.length) return null;
    return {
      t: "compact",
      v: COMPACT_VERSION,
      // Word 0 is not a word: it announces a JSON text.
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
      this.#writeHead(TAGS.list, value.length);
      for (const element of value) this.#write(element ?? null);
    } else if (typeof value === "object") this.#writeObject(value as Fields);
    else throw new TypeError(`CompactEncoder: expected a JSON value, received a ${typeof value}`);
  }

  #writeNumber(value: number): void {
    if (!Number.isInteger(value) || Math.abs(value) > COMPACT_LIMITS.integer) this.#writeText(value);
    else this.#writeHead(TAGS.integer, value < 0 ? -2 * value - 1 : 2 * value);
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
    this.#writeHead(TAGS.word, index);
  }

  #writeObject(value: Fields): void {
    const n = this.#objects++;
    const last = this.#lastShapes[n] ?? null;
    if (last !== null && this.#writeFields(value, last)) return;
    const shape = this.#getShape(value);
    this.#lastShapes[n] = shape;
    if (shape === null) this.#writeText(value);
    else this.#writeFields(value, shape);
  }

  /** False if the object has another shape: nothing is written then. */
  #writeFields(value: Fields, { index, keys, constants }: Shape): boolean {
    const offset = this.#offset;
    const objects = this.#objects;
    this.#writeHead(TAGS.object, index);
    let isOfShape = true;
    let i = 0;
    for (const key in value) {
      const inner = value[key];
      if (inner === undefined) continue;
      const constant = constants[i];
      if (key !== keys[i] || (constant !== undefined && constant !== inner)) {
        isOfShape = false;
        break;
      }
      if (constant === undefined) this.#write(inner);
      i += 1;
    }
    if (isOfShape && i === keys.length) return true;
    this.#offset = offset;
    this.#objects = objects;
    return false;
  }

  #writeText(value: unknown): void {
    const text = utf8.encode(JSON.stringify(value));
    this.#writeHead(TAGS.word, 0);
    this.#writeVarint(text.length);
    this.#ensureCapacity(text.length);
    this.#bytes.set(text, this.#offset);
    this.#offset += text.length;
  }

  /** Null if the dictionary is full. */
  #getShape(value: Fields): Shape | null {
    let node = this.#root;
    for (const key in value) {
      const inner = value[key];
      if (inner === undefined) continue;
      node = getOrCreateNode(node.keys, key);
      if (
        CONSTANT_KEYS.has(key) &&
        isConstant(inner) &&
        (node.values.has(inner) || node.values.size < CONSTANT_VALUES_MAX)
      ) {
        node = getOrCreateNode(node.values, inner);
      }
    }
    if (node.shape === null && this.#shapes.length < COMPACT_LIMITS.shapes) node.shape = this.#createShape(value);
    return node.shape;
  }

  #createShape(value: Fields): Shape {
    const fields: ShapeField[] = [];
    let node = this.#root;
    for (const key in value) {
      const inner = value[key];
      if (inner === undefined) continue;
      node = node.keys.get(key)!;
      const constant = CONSTANT_KEYS.has(key) && isConstant(inner) ? node.values.get(inner) : undefined;
      if (constant === undefined) fields.push(key);
      else {
        fields.push([key, inner as string | number]);
        node = constant;
      }
    }
    const keys = fields.map((field) => (typeof field === "string" ? field : field[0]));
    const constants = fields.map((field) => (typeof field === "string" ? undefined : field[1]));
    const shape = { index: this.#shapes.length, fields, keys, constants };
    this.#shapes.push(shape);
    return shape;
  }

  #writeHead(tag: number, number: number): void {
    this.#writeVarint(number * 4 + tag);
  }

  /** LEB128. */
  #writeVarint(number: number): void {
    this.#ensureCapacity(8);
    let rest = number;
    while (rest > 0x7f) {
      this.#bytes[this.#offset++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#offset++] = rest;
  }

  #ensureCapacity(count: number): void {
    if (this.#offset + count <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#offset + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

const isConstant = (value: unknown): boolean =>
  typeof value === "string" ? value.length <= COMPACT_LIMITS.wordLength : Number.isSafeInteger(value);

/** The binary message of an encoded frame; `skipped`: frames its socket missed since the one before. */
export function encodeFrameMessage(body: Uint8Array, skipped: number): Uint8Array {
  const head = [COMPACT_VERSION];
  let rest = skipped;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) head.push((rest % 128) | 0x80);
  head.push(rest);
  const message = new Uint8Array(head.length + body.length);
  message.set(head);
  message.set(body, head.length);
  return message;
}
