/** A run's seed from both sides: the service commits to its part before the player gives its own. */
import type { Hex } from "viem";
import { concat, sha256 } from "viem/utils";

/** The entropy of a player that gave none. */
export const NO_ENTROPY: Hex = "0x";
/** 1 to 32 bytes, 0x hex in lower case. */
export const ENTROPY_PATTERN = /^0x([0-9a-f]{2}){1,32}$/;

/** What the service publishes before the first tick: sha256 of its 32 bytes. */
export const computeSeedCommitment = (serverSeed: Hex): Hex => sha256(serverSeed);

/**
 * The seed that the game starts from: sha256 of both parts. Without entropy it is the service's part itself, because
 * its sha256 is the public commitment.
 */
export const computeGameSeed = (serverSeed: Hex, entropy: Hex): Hex =>
  entropy === NO_ENTROPY ? serverSeed : sha256(concat([serverSeed, entropy]));
