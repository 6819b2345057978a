/**
 * Unsigned integers that may exceed 2^53 are stored as decimal text, left-padded with zeros, so that every database
 * compares and sorts them like numbers. JavaScript sums them with bigint; the database would convert them to floating
 * point.
 */

/** Digits of the largest uint256. */
export const UINT256_DIGITS = 78;
/** Digits of the largest uint64. */
export const UINT64_DIGITS = 20;

/** The padded decimal text of an unsigned number. Throws a RangeError when it does not fit. */
export function packUint(value: bigint, digits: number = UINT256_DIGITS): string {
  const text = value.toString();
  if (value < 0n || text.length > digits) throw new RangeError(`packUint: expected 0 to ${digits} digits, got ${text}`);
  return text.padStart(digits, "0");
}

export const unpackUint = (text: string): bigint => BigInt(text);

export const packSequence = (sequence: bigint): string => packUint(sequence, UINT64_DIGITS);

/** The same for nullable values. */
export const packOrNull = (value: bigint | null, digits?: number): string | null =>
  value === null ? null : packUint(value, digits);
export const unpackOrNull = (text: string | null): bigint | null => (text === null ? null : unpackUint(text));
