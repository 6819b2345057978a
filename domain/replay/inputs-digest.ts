/** The running digest of a session's recorded inputs: the player compares it with what it sent. */
import { type Hex, sha256 } from "viem";
import type { ReplayInput } from "./replay.ts";

/** The digest before the first input: 8 bytes. */
export const EMPTY_INPUTS_DIGEST: Hex = "0x0000000000000000";

const toUint32 = (value: number): string => value.toString(16).padStart(8, "0");

/** The first 8 bytes of sha256 over the digest so far, the tick and the code, both as big-endian uint32. */
export const advanceInputsDigest = (digest: Hex, [tick, code]: ReplayInput): Hex =>
  sha256(`${digest}${toUint32(tick)}${toUint32(code)}`).slice(0, 18) as Hex;

/** The digest after all inputs. */
export const computeInputsDigest = (inputs: readonly ReplayInput[]): Hex =>
  inputs.reduce(advanceInputsDigest, EMPTY_INPUTS_DIGEST);
