/** Single values: addresses, hashes, bytes, numbers as text, ids and times. A name with `Out` is for responses only. */
import { getAddress, type Hex, isAddress } from "viem";
import { z } from "zod";

const ADDRESS_FORM = { format: "eth-address", pattern: "^0x[0-9a-fA-F]{40}$" };

/** Any case is accepted; mixed case must pass its EIP-55 checksum; the parsed value is checksummed. */
export const address = z
  .string()
  .refine((text) => isAddress(text, { strict: !/^0x([0-9a-f]{40}|[0-9A-F]{40})$/.test(text) }), {
    error: "expected an address: 0x and 40 hex digits, mixed case only with its EIP-55 checksum",
  })
  .transform((text) => getAddress(text))
  .meta({ ...ADDRESS_FORM, example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" });

export const hash32 = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "expected 0x and 64 hex digits")
  .transform((text) => text.toLowerCase() as `0x${string}`)
  .meta({ format: "bytes32" });

export const hexBytes = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, "expected 0x and whole bytes in hex")
  .transform((text) => text as `0x${string}`);

const UINT256_MAX = (2n ** 256n - 1n).toString();

/** A uint256 as decimal text. A text that is no number fails before later checks, which may thus call `BigInt`. */
export const decimal = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, { error: 'expected a decimal string like "1"', abort: true })
  .refine((text) => text.length < UINT256_MAX.length || text <= UINT256_MAX, { error: "expected at most 2^256 - 1" });

export const sessionIdText = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i, "expected a session id (UUIDv7)")
  .transform((text) => text.toLowerCase());

/** The type of a checked string is viem's `0x…`. */
type HexSchema = z.ZodType<Hex, Hex>;
export const addressOut = z.string().meta(ADDRESS_FORM) as unknown as HexSchema;
export const hexOut = z.string().regex(/^0x[0-9a-f]*$/i) as unknown as HexSchema;

export const isoTime = z.string().meta({ format: "date-time" });
