/** Reads compact frames of the spectate channel (docs/compact-spectating.md), in Node and in browsers. */
import { COMPACT_VERSION, TAGS } from "../domain/protocol/compact.ts";
import type { CompactMessage, FrameBody } from "./api-types.ts";

export type { CompactMessage } from "./api-types.ts";

/** The message has another format, or refers to dictionary entries that were not received. */
export class CompactError extends Error {
  override readonly name = "CompactError";
}

/** Deeper than any frame, so that a broken message cannot overflow the stack. */
const DEPTH_MAX = 32;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The decoder of one socket: give it each `compact` message and each binary message in order. */
export class CompactDecoder {
  // Index 0 is reserved.
  readonly #words: (string | boolean | null)[] = [null];
  readonly #shapes: CompactMessage["shapes"][number][] = [];
  #bytes = new Uint8Array();
  #offset = 0;

  /** Adds new entries to the dictionaries. Throws `CompactError` if earlier entries are missing. */
  addEntries({ v, firstWord, words, firstShape, shapes }: CompactMessage): void {
    if (v !== COMPACT_VERSION) throw new CompactError(`expected compact version ${COMPACT_VERSION}, received ${v}`);
    if (firstWord !== this.#words.length || firstShape !== this.#shapes.length) {
      throw new CompactError("entries before these are missing");
    }
    this.#words.push(...words);
    this.#shapes.push(...shapes);
  }

  /** The frame of a binary message, equal to the JSON one. Throws `CompactError`. */
  decode(message: Uint8Array): FrameBody {
    this.#bytes = message as Uint8Array<ArrayBuffer>;
    this.#offset = 1;
    if (message[0] !== COMPACT_VERSION) throw new CompactError("the message is of another version");
    const skipped = this.#readVarint();
    const frame = this.#readValue(0);
    if (this.#offset !== message.length)
      throw new CompactError("expected the end of the message after its frame, received more bytes");
    if (frame === null || typeof frame !== "object") throw new CompactError("the message holds no frame");
    return (skipped === 0 ? frame : { ...frame, skipped }) as FrameBody;
  }

  #readValue(depth: number): unknown {
    if (depth > DEPTH_MAX) throw new CompactError("the message is nested too deeply");
    const head = this.#readVarint();
    const number = Math.floor(head / 4);
    switch (head % 4) {
      case TAGS.integer:
        return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
      case TAGS.word:
        return number === 0 ? this.#readText() : this.#readWord(number);
      case TAGS.object:
        return this.#readObject(number, depth);
      default:
        return this.#readList(number, depth);
    }
  }

  #readWord(index: number): string | boolean | null {
    const word = this.#words[index];
    if (word === undefined) throw new CompactError(`word ${index} is unknown`);
    return word;
  }

  #readText(): unknown {
    const length = this.#readVarint();
    const end = this.#offset + length;
    if (end > this.#bytes.length) throw new CompactError("the message ends within a text");
    const bytes = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    try {
      return JSON.parse(utf8.decode(bytes));
    } catch (cause) {
      throw new CompactError("a text is not JSON", { cause });
    }
  }

  #readObject(index: number, depth: number): object {
    const fields = this.#shapes[index];
    if (fields === undefined) throw new CompactError(`shape ${index} is unknown`);
    const result: Record<string, unknown> = {};
    for (const field of fields) {
      if (typeof field === "string") result[field] = this.#readValue(depth + 1);
      else result[field[0]] = field[1];
    }
    return result;
  }

  #readList(length: number, depth: number): unknown[] {
    // Every element takes a byte at least.
    if (length > this.#bytes.length - this.#offset) throw new CompactError("the message ends within a list");
    return Array.from({ length }, () => this.#readValue(depth + 1));
  }

  /** LEB128 of at most 8 bytes. */
  #readVarint(): number {
    let number = 0;
    for (let factor = 1; factor <= 2 ** 49; factor *= 128) {
      const byte = this.#bytes[this.#offset++];
      if (byte === undefined) throw new CompactError("the message ends within a number");
      number += (byte & 0x7f) * factor;
      if (byte < 0x80) return number;
    }
    throw new CompactError("a number is too long");
  }
}
