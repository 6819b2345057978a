/** The key of the built-in development wallet: made here, kept in this browser, for the local chain only. */
import type { Hex } from "viem";
import { generatePrivateKey } from "viem/accounts";

const STORAGE_KEY = "agent-arcade.development-key";
const KEY_PATTERN = /^0x[0-9a-f]{64}$/;

/** Keeps the key as long as the page lives if storage is blocked. */
let pageKey: Hex | null = null;

function readStoredKey(): Hex | null {
  try {
    const text = localStorage.getItem(STORAGE_KEY);
    return text !== null && KEY_PATTERN.test(text) ? (text as Hex) : null;
  } catch {
    return null;
  }
}

/** The key of this browser's development wallet, or null if none has been made. */
export const findDevelopmentKey = (): Hex | null => readStoredKey() ?? pageKey;

/** Replaces the key with a new one. */
export function makeDevelopmentKey(): Hex {
  const key = generatePrivateKey();
  pageKey = key;
  try {
    localStorage.setItem(STORAGE_KEY, key);
  } catch {
    // Kept in `pageKey` then.
  }
  return key;
}
