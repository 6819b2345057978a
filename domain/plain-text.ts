import { z } from "zod";

/** Control, format and private characters. A portable pattern cannot exclude those beyond U+FFFF. */
const NOT_ALLOWED =
  "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e" +
  "\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ue000-\\uf8ff\\ufeff\\ufff9-\\ufffb";

/** The published form of the rules below. */
const createPattern = (min: number): string =>
  `^[^${NOT_ALLOWED}]*${min === 0 ? "" : `[^${NOT_ALLOWED}\\s][^${NOT_ALLOWED}]*`}$`;

/**
 * Text that people read: NFC, trimmed, without control, bidirectional or zero-width characters. Lengths are in
 * characters (code points).
 */
export const plainText = (min: number, max: number) =>
  z
    .string()
    .transform((text) => text.normalize("NFC").trim())
    .refine((text) => [...text].length >= min && [...text].length <= max, {
      error: `expected ${min} to ${max} characters`,
    })
    .refine((text) => !/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(text), {
      error: "control, bidirectional and zero-width characters are not allowed",
    })
    .meta({ minLength: min, maxLength: max, pattern: createPattern(min) });
