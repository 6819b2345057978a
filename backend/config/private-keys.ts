import { readFileSync } from "node:fs";
import { getAddress, type Hex, isAddress } from "viem";
import { type KeySource, parsePrivateKey } from "../../domain/keys.ts";
import { isLoopbackHost } from "../../domain/origins.ts";
import { decryptKeystore, decryptKeystoreAside } from "./keystore.ts";

const KEYSTORE_SCHEME = "keystore:";

const FILE_ERRORS: { readonly [code: string]: string } = {
  ENOENT: "does not exist",
  EACCES: "may not be read by this user",
  EISDIR: "is a folder",
};

/** Without the line end that editors add. The error leaves out the path: a key may have been given by mistake. */
function readText(name: string, path: string, what: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new Error(`${name}: ${what} ${FILE_ERRORS[code] ?? `cannot be read (${code})`}`);
  }
  // PowerShell 5 writes UTF-16 when the output of a command goes to a file.
  if (text.includes("\0"))
    throw new Error(`${name}: ${what} is in UTF-16; save it as UTF-8 (in PowerShell: Set-Content -Encoding ascii)`);
  return text.replace(/\r?\n$/, "");
}

/** Reads the two texts of `FILE,PASSPHRASE_FILE`. */
function readKeystore(name: string, paths: string): { readonly text: string; readonly passphrase: string } {
  const [file, passphraseFile, ...others] = paths.split(",");
  if (!file || !passphraseFile || others.length > 0)
    throw new Error(`${name}: expected keystore:FILE,PASSPHRASE_FILE, the paths of two files`);
  const text = readText(name, file, "the key file");
  return { text, passphrase: readText(name, passphraseFile, "the file with the passphrase") };
}

const withName = (name: string, error: unknown): Error => new Error(`${name}: ${(error as Error).message}`);

function decrypt(name: string, paths: string): Hex {
  const { text, passphrase } = readKeystore(name, paths);
  try {
    return decryptKeystore(text, passphrase);
  } catch (error) {
    throw withName(name, error);
  }
}

export const isKeystoreSetting = (value: string): boolean => value.startsWith(KEYSTORE_SCHEME);

/** Like `readPrivateKey` for an encrypted key file, without blocking this thread. */
export async function readKeystoreAside(name: string, value: string): Promise<Hex> {
  const { text, passphrase } = readKeystore(name, value.slice(KEYSTORE_SCHEME.length));
  const key = await decryptKeystoreAside(text, passphrase).catch((error: unknown) => {
    throw withName(name, error);
  });
  return parsePrivateKey(name, key);
}

/**
 * Reads a private key given as `0x` and 64 hex digits, as `@file` with them inside, or as `keystore:FILE,PASSPHRASE_FILE`
 * with an encrypted key file.
 * @param name The key's name in error messages.
 * @throws Error whose message never contains the key.
 */
export function readPrivateKey(name: string, value: string): Hex {
  if (isKeystoreSetting(value)) return parsePrivateKey(name, decrypt(name, value.slice(KEYSTORE_SCHEME.length)));
  if (!value.startsWith("@")) return parsePrivateKey(name, value);
  return parsePrivateKey(name, readText(name, value.slice(1), "the file after @").trim());
}

/** Reads a private key (`readPrivateKey`), or the URL of a remote signer: `https://HOST/PATH#0xADDRESS`. */
export function readKeySource(name: string, value: string): KeySource {
  if (!/^https?:/.test(value)) return readPrivateKey(name, value);
  const url = URL.canParse(value) ? new URL(value) : null;
  const address = url?.hash.slice(1) ?? "";
  if (url === null || !isAddress(address, { strict: false }))
    throw new Error(`${name}: expected https://HOST/PATH#0xADDRESS, the signer and the account that it signs for`);
  if (url.username + url.password !== "")
    throw new Error(
      `${name}: expected the signer's address without a user or a password; ARCADE_SIGNER_TOKEN is its token`,
    );
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname))
    throw new Error(
      `${name}: expected https:// for a signer on another machine, since the token goes with each request`,
    );
  url.hash = "";
  return { address: getAddress(address), url: url.href, token: null };
}

/** Reads a secret given directly, or as `@file` with it inside. */
export const readSecretText = (name: string, value: string): string =>
  value.startsWith("@") ? readText(name, value.slice(1), "the file after @").trim() : value;

/** The files that a secret setting refers to. */
export function listSecretPaths(value: string): readonly string[] {
  if (isKeystoreSetting(value)) return value.slice(KEYSTORE_SCHEME.length).split(",");
  return value.startsWith("@") ? [value.slice(1)] : [];
}
