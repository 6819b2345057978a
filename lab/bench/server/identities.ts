/** Wallets, tokens and addresses by their numbers. */
import { createHash } from "node:crypto";
import { type Address, getAddress, type Hex } from "viem";

export const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
export const toHex = (bytes: Buffer): Hex => `0x${bytes.toString("hex")}`;

export const createWallet = (n: number): Address => getAddress(toHex(digest(`wallet ${n}`).subarray(12)));
/** An access token in the form of the service's. */
export const getToken = (n: number): string => `aa_${digest(`token ${n}`).toString("base64url")}`;
/** A different address for each number, as a proxy in front of the service passes it. */
export const getClientAddress = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
