/** Encrypted key files: Web3 Secret Storage, version 3, as geth, foundry, ethers and hardhat wallets write them. */
import { createDecipheriv, pbkdf2Sync, scryptSync } from "node:crypto";
import { bytesToHex, type Hex, hexToBytes, keccak256 } from "viem";
import { z } from "zod";

/** Bounds of the key derivation: a file asks for at most 1 GiB and some seconds. */
const SCRYPT_MEMORY_MAX_BYTES = 2 ** 30;
const PBKDF2_ROUNDS_MAX = 10_000_000;

const hex = z
  .string()
  .regex(/^(0x)?([0-9a-fA-F]{2})+$/)
  .transform((text) => Buffer.from(text.replace(/^0x/, ""), "hex"));
const scrypt = z.object({
  kdf: z.literal("scrypt"),
  kdfparams: z
    .object({
      ...{ n: z.int().min(2), r: z.int().min(1).max(64), p: z.int().min(1).max(64) },
      ...{ dklen: z.literal(32), salt: hex },
    })
    .refine(({ n, r }) => 128 * n * r <= SCRYPT_MEMORY_MAX_BYTES),
});
const pbkdf2 = z.object({
  kdf: z.literal("pbkdf2"),
  kdfparams: z.object({
    ...{ c: z.int().min(1).max(PBKDF2_ROUNDS_MAX), dklen: z.literal(32) },
    ...{ prf: z.literal("hmac-sha256"), salt: hex },
  }),
});
const cipher = z.object({
  cipher: z.literal("aes-128-ctr"),
  cipherparams: z.object({ iv: hex.refine(({ length }) => length === 16) }),
  ciphertext: hex.refine(({ length }) => length === 32),
  mac: hex.refine(({ length }) => length === 32),
});
const crypto = z.intersection(cipher, z.discriminatedUnion("kdf", [scrypt, pbkdf2]));
const keystore = z.object({ version: z.literal(3), crypto });
type Crypto = z.output<typeof crypto>;

function deriveKey(params: Crypto, passphrase: string): Buffer {
  const text = Buffer.from(passphrase.normalize("NFKC"), "utf8");
  if (params.kdf === "pbkdf2") {
    const { salt, c, dklen } = params.kdfparams;
    return pbkdf2Sync(text, salt, c, dklen, "sha256");
  }
  const { salt, n, r, p, dklen } = params.kdfparams;
  // Limit of RFC 7914, section 2, which OpenSSL enforces.
  if (n >= 2 ** (16 * r)) throw new Error(`expected a key file whose scrypt has n below 2^(16 r), received r = ${r}`);
  // Twice what the table takes: OpenSSL counts its own blocks as well.
  return scryptSync(text, salt, dklen, { N: n, r, p, maxmem: 256 * n * r + 2 ** 20 });
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text.toLowerCase());
  } catch {
    return null;
  }
};

/**
 * Decrypts a key file; takes about a second, by design.
 * @returns The key as `0x` and 64 hex digits, not yet checked.
 * @throws Error whose message contains neither key nor passphrase.
 */
export function decryptKeystore(text: string, passphrase: string): Hex {
  // Some programs write `Crypto`, and capital hex digits.
  const parsed = keystore.safeParse(parseJson(text));
  if (!parsed.success) throw new Error("expected an encrypted key file (Web3 Secret Storage, version 3)");
  const params = parsed.data.crypto;
  const derived = deriveKey(params, passphrase);
  const mac = hexToBytes(keccak256(Buffer.concat([derived.subarray(16, 32), params.ciphertext])));
  if (!params.mac.equals(mac)) throw new Error("the passphrase does not open the key file");
  const decipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), params.cipherparams.iv);
  return bytesToHex(Buffer.concat([decipher.update(params.ciphertext), decipher.final()]));
}
