/** Comparison of the tokens that the operator has configured. */
import { createHash, timingSafeEqual } from "node:crypto";

const toDigest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Whether two secrets are equal. Digests have one length, and their comparison takes the same time for all of them. */
export const isSameSecret = (one: string, other: string): boolean => timingSafeEqual(toDigest(one), toDigest(other));
