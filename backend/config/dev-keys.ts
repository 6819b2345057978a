import { readFileSync } from "node:fs";
import { bytesToHex } from "viem";
import { type HDKey, mnemonicToAccount, privateKeyToAddress } from "viem/accounts";

/** The mnemonic that every Ethereum development tool uses by default. Its keys are refused on any chain but 31337. */
const DEVELOPMENT_MNEMONIC = "test test test test test test test test test test test junk";

/** The first ones are players; the service's own keys lie apart, so that no printed key can sign for it. */
const FIRST_SERVICE_INDEX = 100;

export interface DevelopmentAccount {
  readonly address: `0x${string}`;
  readonly privateKey: `0x${string}`;
}

/** BIP-44 parent of the accounts; stretching the mnemonic is slow, so it is done once. */
let parent: HDKey | undefined;

function getParent(): HDKey {
  parent ??= mnemonicToAccount(DEVELOPMENT_MNEMONIC, { path: "m/44'/60'/0'/0" }).getHdKey();
  return parent;
}

function deriveKey(key: HDKey, index: number): `0x${string}` {
  const { privateKey } = key.deriveChild(index);
  if (!privateKey) throw new Error("the development mnemonic gave no key");
  return bytesToHex(privateKey);
}

const accounts = new Map<number, DevelopmentAccount>();

/** Kept once derived: each takes milliseconds, and every start asks for the same ones. */
export function developmentAccount(index: number): DevelopmentAccount {
  const known = accounts.get(index);
  if (known !== undefined) return known;
  const privateKey = deriveKey(getParent(), index);
  const account = { address: privateKeyToAddress(privateKey), privateKey };
  accounts.set(index, account);
  return account;
}

/** The key of one duty on the local chain: 0 admin, 1 guardian, 2 operator, 3 identity, 4 score, 5… one per game. */
export const developmentServiceAccount = (offset: number): DevelopmentAccount =>
  developmentAccount(FIRST_SERVICE_INDEX + offset);

/**
 * The development mnemonic's accounts that count as well known: the first 1,024 of m/44'/60'/0'/0, which are in every list
 * that thieves try, and the first one of m/44'/60'/1'/0 to m/44'/60'/9'/0, where other wallets count. Deriving them takes
 * seconds, so the first 12 hex digits of each address are stored. Another address begins with one of them in one of
 * 270 billion cases, and is refused.
 */
const WELL_KNOWN_FILE = new URL("./well-known-accounts.txt", import.meta.url);
let wellKnownBeginnings: ReadonlySet<string> | undefined;

/** True for an address whose key can be derived from the public development mnemonic. */
export function isWellKnownAddress(address: string): boolean {
  wellKnownBeginnings ??= new Set(readFileSync(WELL_KNOWN_FILE, "utf8").trim().split(/\s+/));
  return wellKnownBeginnings.has(address.slice(2, 14).toLowerCase());
}

/** True for a private key, as `0x` and 64 hex digits, that can be derived from the public development mnemonic. */
export const isWellKnownKey = (privateKey: `0x${string}`): boolean =>
  isWellKnownAddress(privateKeyToAddress(privateKey));
