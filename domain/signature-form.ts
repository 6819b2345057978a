/** Forms of wallet signatures: EIP-2, EIP-155, EIP-2098, ERC-1271, ERC-6492 and Safe's. */
import type { Hex } from "viem";

/** Half of secp256k1's order. A signature with a larger `s` has a second form with a smaller one (EIP-2). */
const S_MAX = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const ERC6492_SUFFIX = "6492".repeat(16);

const countBytes = (signature: Hex): number => (signature.length - 2) / 2;
const getS = (signature: Hex): bigint => BigInt(`0x${signature.slice(66, 130)}`);
const getV = (signature: Hex): number => Number.parseInt(signature.slice(130), 16);

/** Whether a wallet that may not be deployed has signed: its factory and its signature (ERC-6492). */
export const isErc6492Signature = (signature: Hex): boolean => signature.toLowerCase().endsWith(ERC6492_SUFFIX);

/**
 * A key's signature in the form that every contract accepts: 65 bytes with v 27 or 28, in lower case. Converts v 0 or 1
 * (Ledger), and the 64 bytes of EIP-2098. Any other signature keeps its bytes.
 */
export function toCanonicalSignature(signature: Hex): Hex {
  const text = signature.toLowerCase() as Hex;
  if (countBytes(text) === 64) {
    const yParityAndS = getS(text);
    const s = (yParityAndS & ((1n << 255n) - 1n)).toString(16).padStart(64, "0");
    return `${text.slice(0, 66)}${s}${(27n + (yParityAndS >> 255n)).toString(16)}` as Hex;
  }
  if (countBytes(text) !== 65 || getV(text) > 1) return text;
  return `${text.slice(0, 130)}${(27 + getV(text)).toString(16)}` as Hex;
}

/** Why a signature cannot come from a key, and whether contract wallets use this form. */
export function describeForm(signature: Hex): { readonly text: string; readonly isContracts: boolean } {
  const bytes = countBytes(signature);
  if (isErc6492Signature(signature))
    return { text: "one of a wallet that is not deployed (ERC-6492)", isContracts: true };
  if (bytes === 0) return { text: "an empty one, as a Safe gives", isContracts: true };
  if (bytes !== 64 && bytes !== 65) return { text: `${bytes} bytes`, isContracts: true };
  const v = getV(toCanonicalSignature(signature));
  if (v === 31 || v === 32) return { text: `one by an owner for a Safe (v ${v})`, isContracts: true };
  if (v !== 27 && v !== 28) return { text: `v ${v}, expected 0, 1, 27 or 28`, isContracts: false };
  if (getS(toCanonicalSignature(signature)) > S_MAX)
    return { text: "a high s: give the order minus s, and the other v (EIP-2)", isContracts: false };
  return { text: "numbers that no key gives", isContracts: false };
}
