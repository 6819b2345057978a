/** Encrypted key files: Web3 Secret Storage, version 3, as geth, foundry, ethers and hardhat wallets write them. */
import { createDecipheriv, pbkdf2, pbkdf2Sync, scrypt, scryptSync } from "node:crypto";
import { promisify } from "node:util";
import { bytesToHex, type Hex, hexToBytes, keccak256 } from "viem";
import { z } from "zod";

/** Limits of the key derivation: at most 1 GiB and some seconds per file. */
const SCRYPT_MEMORY_MAX_BYTES = 2 ** 30;
const PBKDF2_ROUNDS_MAX = 10_000_000;

const hex = z
  .string()
  .regex(/^(0x)?([0-9a-fA-F]{2})+$/)
  .transform((text) => Buffer.from(text.replace(/^0x/, ""), "hex"));
const scryptSchema = z.object({
  kdf: z.literal("scrypt"),
  kdfparams: z
    .object({
      n: z.int().min(2),
      r: z.int().min(1).max(64),
      p: z.int().min(1).max(64),
      dklen: z.literal(32),
      salt: hex,
    })
    .refine(({ n, r }) => 128 * n * r <= SCRYPT_MEMORY_MAX_BYTES),
});
const pbkdf2Schema = z.object({
  kdf: z.literal("pbkdf2"),
  kdfparams: z.object({
    c: z.int().min(1).max(PBKDF2_ROUNDS_MAX),
    dklen: z.literal(32),
    prf: z.literal("hmac-sha256"),
    salt: hex,
  }),
});
const cipher = z.object({
  cipher: z.literal("aes-128-ctr"),
  cipherparams: z.object({ iv: hex.refine(({ length }) => length === 16) }),
  ciphertext: hex.refine(({ length }) => length === 32),
  mac: hex.refine(({ length }) => length === 32),
});
const crypto = z.intersection(cipher, z.discriminatedUnion("kdf", [scryptSchema, pbkdf2Schema]));
const keystore = z.object({ version: z.literal(3), crypto });
type Crypto = z.output<typeof crypto>;

const toBytes = (passphrase: string): Buffer => Buffer.from(passphrase.normalize("NFKC"), "utf8");

/** Throws if OpenSSL cannot compute it. */
function getScryptOptions({ n, r, p }: Extract<Crypto, { kdf: "scrypt" }>["kdfparams"]) {
  // Limit of RFC 7914, section 2, which OpenSSL enforces.
  if (n >= 2 ** (16 * r)) throw new Error(`expected a key file whose scrypt has n below 2^(16 r), received r = ${r}`);
  // Twice the table's size: OpenSSL counts its own blocks as well.
  return { N: n, r, p, maxmem: 256 * n * r + 2 ** 20 };
}

function deriveKey({ kdf, kdfparams }: Crypto, passphrase: string): Buffer {
  const { salt, dklen } = kdfparams;
  if (kdf === "pbkdf2") return pbkdf2Sync(toBytes(passphrase), salt, kdfparams.c, dklen, "sha256");
  return scryptSync(toBytes(passphrase), salt, dklen, getScryptOptions(kdfparams));
}

/** Like `deriveKey`, on a thread of Node's pool. */
async function deriveKeyAside({ kdf, kdfparams }: Crypto, passphrase: string): Promise<Buffer> {
  const { salt, dklen } = kdfparams;
  if (kdf === "pbkdf2") return await promisify(pbkdf2)(toBytes(passphrase), salt, kdfparams.c, dklen, "sha256");
  const options = getScryptOptions(kdfparams);
  return await new Promise((resolve, reject) => {
    scrypt(toBytes(passphrase), salt, dklen, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text.toLowerCase());
  } catch {
    return null;
  }
};

/** Throws an Error if the text is not a key file. */
function parseKeystore(text: string): Crypto {
  // Some programs write `Crypto`, and upper-case hex digits.
  const parsed = keystore.safeParse(parseJson(text));
  if (!parsed.success) throw new Error("expected an encrypted key file (Web3 Secret Storage, version 3)");
  return parsed.data.crypto;
}

function openKeystore({ mac, ciphertext, cipherparams }: Crypto, derived: Buffer): Hex {
  const computed = hexToBytes(keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])));
  if (!mac.equals(computed)) throw new Error("the passphrase does not open the key file");
  const decipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), cipherparams.iv);
  return bytesToHex(Buffer.concat([decipher.update(ciphertext), decipher.final()]));
}

/**
 * Decrypts a key file; takes about a second, by design.
 * @returns The key as `0x` and 64 hex digits, not yet checked.
 * @throws Error whose message contains neither key nor passphrase.
 */
export function decryptKeystore(text: string, passphrase: string): Hex {
  const params = parseKeystore(text);
  return openKeystore(params, deriveKey(params, passphrase));
}

/** Like `decryptKeystore`, without blocking this thread. */
export async function decryptKeystoreAside(text: string, passphrase: string): Promise<Hex> {
  const params = parseKeystore(text);
  return openKeystore(params, await deriveKeyAside(params, passphrase));
}
