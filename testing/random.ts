/** A seeded generator (sfc32), the source of every random value of a run. */
export class Random {
  readonly #state: Uint32Array;

  constructor(seed: number) {
    this.#state = Uint32Array.of(seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0x9e3779b9, 1);
    for (let round = 0; round < 12; round++) this.#next32();
  }

  /** A number in [0, 1). */
  next(): number {
    return this.#next32() / 2 ** 32;
  }

  /** An integer from 0 to `count - 1`. */
  int(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** A number in [from, to). */
  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)]!;
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.alloc(count);
    for (let index = 0; index < count; index++) bytes[index] = this.#next32() & 0xff;
    return bytes;
  }

  /** A separate generator, so that the draws of one part do not change those of others. */
  fork(): Random {
    return new Random(this.#next32() * 2 ** 21 + (this.#next32() >>> 11));
  }

  #next32(): number {
    const s = this.#state;
    const t = (s[0]! + s[1]! + s[3]!) >>> 0;
    s[3] = s[3]! + 1;
    s[0] = s[1]! ^ (s[1]! >>> 9);
    s[1] = s[2]! + (s[2]! << 3);
    s[2] = ((s[2]! << 21) | (s[2]! >>> 11)) + t;
    return t;
  }
}
