/** Single values: addresses, hashes, bytes, numbers as text, ids and times. A name with `Out` is for responses only. */
import { getAddress, type Hex } from "viem";
import { z } from "zod";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ADDRESS_FORM = { format: "eth-address", pattern: ADDRESS.source };

/**
 * Accepts any letter case, since JSON Schema cannot describe a checksum; the parsed value has the checksum of EIP-55.
 */
export const address = z
  .string()
  .regex(ADDRESS, "expected an address: 0x and 40 hex digits")
  .transform((text) => getAddress(text))
  .meta({ ...ADDRESS_FORM, example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" });

const HOST = "([a-zA-Z0-9]+(-+[a-zA-Z0-9]+)*\\.)*[a-zA-Z][a-zA-Z0-9]*(-+[a-zA-Z0-9]+)*";

export const hash32 = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "expected 0x and 64 hex digits")
  .transform((text) => text.toLowerCase() as `0x${string}`)
  .meta({ format: "bytes32" });

/** `0x` may be missing, as in the signatures that Python's libraries print; the parsed value has it. */
export const hexBytes = z
  .string()
  .regex(/^(0x([0-9a-fA-F]{2})*|([0-9a-fA-F]{2})+)$/, "expected 0x and whole bytes in hex")
  .transform((text) => (text.startsWith("0x") ? text : `0x${text}`) as `0x${string}`);

const UINT256_MAX = (2n ** 256n - 1n).toString();
/** All numbers up to 1.15 x 10^77, and the largest one. A pattern that covers the rest would be ten times as long. */
const DECIMAL_PATTERN = `^(0|[1-9]\\d{0,76}|1(0\\d|1[0-4])\\d{75}|${UINT256_MAX})$`;

const DECIMAL_ERROR = 'expected a decimal string like "1"';
/**
 * A uint256 as decimal text: JSON numbers lose digits above 2^53. Text that is not a number fails first, so later
 * checks may call `BigInt`.
 */
export const decimal = z
  .string(DECIMAL_ERROR)
  .regex(/^(0|[1-9]\d{0,77})$/, { error: DECIMAL_ERROR, abort: true })
  .refine((text) => text.length < UINT256_MAX.length || text <= UINT256_MAX, { error: "expected at most 2^256 - 1" })
  .meta({ pattern: DECIMAL_PATTERN });

const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export const sessionIdText = z
  .string()
  .regex(SESSION_ID, "expected a session id (UUIDv7)")
  .transform((text) => text.toLowerCase());

/** Lengths are in characters (code points), as JSON Schema counts them. */
export const text = (min: number, max: number) =>
  z
    .string()
    .refine((value) => [...value].length >= min && [...value].length <= max, {
      error: `expected ${min} to ${max} characters`,
    })
    .meta({ minLength: min, maxLength: max });

/** The published pattern omits hosts that are not ASCII, which the server accepts too. */
export const url = (schemes: readonly string[], max: number) =>
  z
    .url({ protocol: new RegExp(`^(${schemes.join("|")})$`) })
    .max(max)
    .meta({ pattern: `^(${schemes.join("|")})://${HOST}(:[1-5]?\\d{1,4})?([/?#][!-~]*)?$` });

/** Parts of paths. Only for the documents: a malformed value gets the same response as an unknown one. */
const pathText = (pattern: string, example: string) => z.string().meta({ pattern, example });
export const pathTexts = {
  sessionId: pathText(SESSION_ID.source, "0190f1d5-7c4e-7abc-8def-0123456789ab"),
  id: pathText("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "9b2f7c1e-3a54-4d1f-8c2b-5e6f7a8b9c0d"),
  digest: pathText("^[0-9a-f]{64}$", "b9c601a18bb6a8b50ae19e5e7e9841af2d1dfbd03943c8c205949854996470f1"),
  hash: pathText("^0x[0-9a-f]{64}$", "0xb9c601a18bb6a8b50ae19e5e7e9841af2d1dfbd03943c8c205949854996470f1"),
  tokenId: pathText(DECIMAL_PATTERN, "1"),
  course: pathText("^[1-5]$", "1"),
  season: pathText("^[1-9]\\d{0,8}$", "1"),
  tier: pathText("^[1-9]\\d?$", "1"),
  holder: pathText(`^(0x[0-9a-fA-F]{40}|0|[1-9]\\d{0,76})$`, "1"),
} as const;

/** The type of a checked string is viem's `0x…`. */
type HexSchema = z.ZodType<Hex, Hex>;
export const addressOut = z.string().meta(ADDRESS_FORM) as unknown as HexSchema;
export const hexOut = z.string().regex(/^0x[0-9a-f]*$/i) as unknown as HexSchema;

export const isoTime = z.string().meta({ format: "date-time" });
