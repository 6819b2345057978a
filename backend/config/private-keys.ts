import { readFileSync } from "node:fs";
import { getAddress, type Hex, isAddress } from "viem";
import { type KeySource, parsePrivateKey } from "../domain/keys.ts";
import { decryptKeystore } from "./keystore.ts";

const KEYSTORE_SCHEME = "keystore:";

/** Without the line end that editors add. */
function readText(name: string, path: string, what: string): string {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch {
    throw new Error(`${name}: ${what} cannot be read`);
  }
}

/** `keystore:FILE,PASSPHRASE_FILE` */
function readKeystore(name: string, paths: string): Hex {
  const [file, passphraseFile, ...others] = paths.split(",");
  if (!file || !passphraseFile || others.length > 0)
    throw new Error(`${name}: expected keystore:FILE,PASSPHRASE_FILE, the paths of two files`);
  const text = readText(name, file, "the key file");
  const passphrase = readText(name, passphraseFile, "the file with the passphrase");
  try {
    return decryptKeystore(text, passphrase);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`);
  }
}

/**
 * Reads a private key given as `0x` and 64 hex digits, as `@file` with them inside, or as `keystore:FILE,PASSPHRASE_FILE`
 * with an encrypted key file.
 * @param name Says which key it is in the error's message.
 * @throws Error whose message never contains the key.
 */
export function readPrivateKey(name: string, value: string): Hex {
  if (value.startsWith(KEYSTORE_SCHEME))
    return parsePrivateKey(name, readKeystore(name, value.slice(KEYSTORE_SCHEME.length)));
  if (!value.startsWith("@")) return parsePrivateKey(name, value);
  return parsePrivateKey(name, readText(name, value.slice(1), "the file after @").trim());
}

/**
 * Reads a private key (`readPrivateKey`), or the place of one that another process holds: `https://HOST/PATH#0xADDRESS`.
 * @throws Error whose message never contains the key or the address of the process.
 */
export function readKeySource(name: string, value: string): KeySource {
  if (!/^https?:/.test(value)) return readPrivateKey(name, value);
  const url = URL.canParse(value) ? new URL(value) : null;
  const address = url?.hash.slice(1) ?? "";
  if (url === null || !isAddress(address, { strict: false }))
    throw new Error(`${name}: expected https://HOST/PATH#0xADDRESS, the signer and the account that it signs for`);
  url.hash = "";
  return { address: getAddress(address), url: url.href, token: null };
}

/** Reads a secret given as it is, or as `@file` with it inside. */
export const readSecretText = (name: string, value: string): string =>
  value.startsWith("@") ? readText(name, value.slice(1), "the file after @").trim() : value;
