import { type Hex, hexToBytes, keccak256 } from "viem";

const BLOOM_BITS = 2048;

/**
 * Whether a header's `logsBloom` may contain an address or topic: three bits of the value's hash (Yellow Paper, 4.3.1).
 * False is certain, true is not.
 */
export function isInBloom(bloom: Hex, value: Hex): boolean {
  const bits = hexToBytes(bloom);
  const hash = hexToBytes(keccak256(value));
  return [0, 2, 4].every((offset) => {
    const bit = ((hash[offset]! << 8) | hash[offset + 1]!) % BLOOM_BITS;
    return (bits[bits.length - 1 - (bit >> 3)]! & (1 << (bit & 7))) !== 0;
  });
}
