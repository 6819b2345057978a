import { readFileSync } from "node:fs";
import { bytesToHex, type Hex, hexToBytes, keccak256, numberToHex, sha256, stringToHex } from "viem";
import { type HDKey, mnemonicToAccount, privateKeyToAddress } from "viem/accounts";
import { CURVE_ORDER } from "../../domain/keys.ts";
import { DEVELOPMENT_ACCOUNTS } from "./development-accounts.ts";

/** The default mnemonic of every Ethereum development tool. Its keys are rejected on any chain but 31337. */
const DEVELOPMENT_MNEMONIC = "test test test test test test test test test test test junk";

/** The first accounts are players; the service's keys are far from them, so that no printed key can sign for it. */
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

export function deriveAccount(index: number): DevelopmentAccount {
  const privateKey = deriveKey(getParent(), index);
  return { address: privateKeyToAddress(privateKey), privateKey };
}

/** Stored, since deriving the accounts that a start needs takes a quarter of a second. */
const accounts = new Map(
  DEVELOPMENT_ACCOUNTS.trim()
    .split("\n")
    .map((line): [number, DevelopmentAccount] => {
      const [index, address, privateKey] = line.split(" ") as [string, Hex, Hex];
      return [Number(index), { address, privateKey }];
    }),
);

export function developmentAccount(index: number): DevelopmentAccount {
  const known = accounts.get(index);
  if (known !== undefined) return known;
  const account = deriveAccount(index);
  accounts.set(index, account);
  return account;
}

/** The key of one duty on the local chain: 0 admin, 1 guardian, 2 operator, 3 identity, 4 score, 5… one per game. */
export const developmentServiceAccount = (offset: number): DevelopmentAccount =>
  developmentAccount(FIRST_SERVICE_INDEX + offset);

/**
 * The development mnemonic's accounts that count as well known: the first 1,024 of m/44'/60'/0'/0, which are in every
 * list that thieves try, and the first one of m/44'/60'/1'/0 to m/44'/60'/9'/0, where other wallets count. Deriving
 * them takes seconds, so the first 12 hex digits of each address are stored. An unrelated address begins with one of
 * them in one of 270 billion cases, and is rejected.
 */
const WELL_KNOWN_FILE = new URL("./well-known-accounts.txt", import.meta.url);
let wellKnownBeginnings: ReadonlySet<string> | undefined;

/** True for an address whose key can be derived from the public development mnemonic. */
export function isWellKnownAddress(address: string): boolean {
  wellKnownBeginnings ??= new Set(readFileSync(WELL_KNOWN_FILE, "utf8").trim().split(/\s+/));
  return wellKnownBeginnings.has(address.slice(2, 14).toLowerCase());
}

/** Texts that people hash to keys in examples and tests; thieves try them all. */
const COMMON_WORDS =
  "a|b|c|abc|cow|dog|cat|test|hello|hello world|world|foo|bar|secret|password|passphrase|private|private key|privatekey|key|seed|brainwallet|satoshi|nakamoto|bitcoin|ethereum|vitalik|wallet|admin|root|owner|deployer|user|operator|signer|guardian|minter|relayer|faucet|agent|player|arcade|alice|bob|carol|charlie|dave|eve|mallory|attacker|changeme|letmein|qwerty|correct horse battery staple";
const FEWEST_BYTE_VALUES = 16;
let guessableKeys: ReadonlySet<string> | undefined;

/** Keccak-256 and SHA-256 of common words, of short numbers as text, and of numbers as EVM words. */
function listGuessableKeys(): ReadonlySet<string> {
  const numbers = Array.from({ length: 256 }, (_, number) => number);
  const words = COMMON_WORDS.split("|").flatMap((word) => [
    word,
    word.toUpperCase(),
    word[0]!.toUpperCase() + word.slice(1),
  ]);
  const texts = [...words, "", ...numbers.map(String), ...["1234", "12345", "123456", "12345678"]].map((text) =>
    stringToHex(text),
  );
  const preimages: Hex[] = [...texts, ...numbers.map((number) => numberToHex(number, { size: 32 }))];
  return new Set(preimages.flatMap((preimage) => [keccak256(preimage), sha256(preimage)]));
}

/**
 * True for a private key that was not drawn at random: a small number or one near the group's order, few different
 * bytes, bytes that count up or down, readable text, or the hash of a common word. A random key matches in fewer than
 * one of 10^13 cases.
 */
export function isGuessableKey(privateKey: Hex): boolean {
  const number = BigInt(privateKey);
  const bytes = hexToBytes(privateKey);
  const steps = new Set(Array.from(bytes.subarray(1), (byte, index) => (byte - bytes[index]! + 256) % 256));
  guessableKeys ??= listGuessableKeys();
  return (
    number < 1n << 128n ||
    number > CURVE_ORDER - (1n << 128n) ||
    number % (1n << 128n) === 0n ||
    new Set(bytes).size < FEWEST_BYTE_VALUES ||
    steps.size <= 3 ||
    bytes.every((byte) => byte >= 0x20 && byte <= 0x7e) ||
    guessableKeys.has(privateKey.toLowerCase())
  );
}

/**
 * True for a private key, as `0x` and 64 hex digits, of the public development mnemonic, or one that can be guessed.
 */
export const isWellKnownKey = (privateKey: Hex): boolean =>
  isGuessableKey(privateKey) || isWellKnownAddress(privateKeyToAddress(privateKey));
