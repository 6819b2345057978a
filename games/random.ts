/**
 * The generator of the games: the ChaCha20 block function (RFC 8439, section 2.3) keyed with the whole 256-bit seed.
 * A cipher rather than a statistical generator, because a player sees what it produced: from a linear generator's
 * output the rest of a run could be computed, from a cipher's it cannot. Not for keys or tokens: those belong to the
 * system's generator.
 */

/** State of the generator; a part of a game's JSON state. */
export interface RandomState {
  /** The seed as eight little-endian 32-bit words. */
  readonly key: readonly number[];
  /** Number of the next block. */
  block: number;
}

/** Words in a block. */
const BLOCK_WORDS = 16;

const input = new Int32Array(BLOCK_WORDS);
const words = new Int32Array(BLOCK_WORDS);
const output = new Uint32Array(BLOCK_WORDS);

/**
 * A generator at its first block.
 * @throws RangeError when the seed is not 32 bytes.
 */
export function seedRandom(seed: Uint8Array): RandomState {
  if (seed.length !== 32) throw new RangeError(`a seed has 32 bytes, not ${seed.length}`);
  const view = new DataView(seed.buffer, seed.byteOffset, seed.byteLength);
  return { key: Array.from({ length: 8 }, (_, i) => view.getUint32(i * 4, true)), block: 0 };
}

/**
 * The next block: 16 words of 32 bits. One block per piece of a course keeps the pieces independent of what the player
 * does. The array is reused: take what you need before the next call.
 */
export function nextBlock(state: RandomState): Uint32Array {
  chachaBlock(state.key, state.block, 0, 0, 0);
  state.block += 1;
  return output;
}

/** A whole number from min to max, both included, out of one word. The bias is below (max - min + 1) / 2^32. */
export function toRange(word: number | undefined, min: number, max: number): number {
  return min + Math.floor(((word ?? 0) * (max - min + 1)) / 4294967296);
}

/** RFC 8439 block function: key of 8 words, 32-bit counter, nonce of 3 words. Returns a reused array. */
export function chachaBlock(key: readonly number[], counter: number, n0: number, n1: number, n2: number): Uint32Array {
  input[0] = 0x61707865;
  input[1] = 0x3320646e;
  input[2] = 0x79622d32;
  input[3] = 0x6b206574;
  for (let i = 0; i < 8; i += 1) input[4 + i] = key[i] ?? 0;
  input[12] = counter;
  input[13] = n0;
  input[14] = n1;
  input[15] = n2;
  words.set(input);
  for (let round = 0; round < 10; round += 1) {
    quarterRound(0, 4, 8, 12);
    quarterRound(1, 5, 9, 13);
    quarterRound(2, 6, 10, 14);
    quarterRound(3, 7, 11, 15);
    quarterRound(0, 5, 10, 15);
    quarterRound(1, 6, 11, 12);
    quarterRound(2, 7, 8, 13);
    quarterRound(3, 4, 9, 14);
  }
  for (let i = 0; i < BLOCK_WORDS; i += 1) output[i] = words[i]! + input[i]!;
  return output;
}

function quarterRound(a: number, b: number, c: number, d: number): void {
  let wa = words[a]!;
  let wb = words[b]!;
  let wc = words[c]!;
  let wd = words[d]!;
  wa = (wa + wb) | 0;
  wd ^= wa;
  wd = (wd << 16) | (wd >>> 16);
  wc = (wc + wd) | 0;
  wb ^= wc;
  wb = (wb << 12) | (wb >>> 20);
  wa = (wa + wb) | 0;
  wd ^= wa;
  wd = (wd << 8) | (wd >>> 24);
  wc = (wc + wd) | 0;
  wb ^= wc;
  wb = (wb << 7) | (wb >>> 25);
  words[a] = wa;
  words[b] = wb;
  words[c] = wc;
  words[d] = wd;
}
