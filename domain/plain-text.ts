import { z } from "zod";

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
    .meta({ minLength: min, maxLength: max });
