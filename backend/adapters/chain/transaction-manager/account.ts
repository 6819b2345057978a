/**
 * Signs the operator's transactions: in another process, or with the C library of `adapters/signer`, which takes a
 * fifth of the time of viem's account.
 */
import { type Address, type Hex, serializeTransaction, type TransactionSerializableEIP1559 } from "viem";
import { ArcadeError } from "../../../../domain/errors.ts";
import type { KeySource } from "../../../../domain/keys.ts";
import type { TransactionRow } from "../../../ports/store/chain.ts";
import type { Clock, Log } from "../../../ports/system.ts";
import { keccak256, toHex } from "../../signer/keccak.ts";
import { createRemoteAccount } from "../../signer/remote-signer.ts";
import { createSigningKey } from "../../signer/secp256k1.ts";
import { systemClock } from "../../system/clock.ts";

/** The bytes equal those of viem's account: signatures are deterministic (RFC 6979). */
export interface OperatorAccount {
  readonly address: Address;
  signTransaction(transaction: TransactionSerializableEIP1559): Promise<Hex>;
}

const toBytes = (hex: Hex): Uint8Array => Buffer.from(hex.slice(2), "hex");

export const hashTransaction = (raw: Hex): Hex => toHex(keccak256(toBytes(raw)));

/** An account whose key source can change between two transactions: every source must produce the same bytes. */
export class MovableAccount implements OperatorAccount {
  readonly address: Address;
  readonly #clock: Clock;
  #account: OperatorAccount;

  constructor(source: KeySource, clock: Clock) {
    this.#clock = clock;
    this.#account = createOperatorAccount(source, clock);
    this.address = this.#account.address;
  }

  /** Throws if the key belongs to another account. */
  move(source: KeySource): void {
    const account = createOperatorAccount(source, this.#clock);
    if (account.address !== this.address) throw new Error(`expected the key of ${this.address}`);
    this.#account = account;
  }

  signTransaction(transaction: TransactionSerializableEIP1559): Promise<Hex> {
    return this.#account.signTransaction(transaction);
  }
}

/** `source`: a private key is checked by `parsePrivateKey`. */
export function createOperatorAccount(source: KeySource, clock: Clock = systemClock): OperatorAccount {
  return typeof source === "string" ? createLocalAccount(source) : createRemoteAccount(source, clock);
}

function createLocalAccount(privateKey: Hex): OperatorAccount {
  const key = createSigningKey(privateKey);
  return {
    address: key.address,
    async signTransaction(transaction) {
      const signature = key.signDigest(keccak256(toBytes(serializeTransaction(transaction))));
      return serializeTransaction(transaction, {
        r: signature.slice(0, 66) as Hex,
        s: `0x${signature.slice(66, 130)}`,
        yParity: signature.endsWith("1c") ? 1 : 0,
      });
    },
  };
}

/** Whether an error means that a remote signer has not signed. */
export const isSignerAway = (error: unknown): boolean =>
  error instanceof ArcadeError && error.code === "SIGNER_UNAVAILABLE";

/** Does the work for a row. If the signer is unavailable, only this row waits. */
export async function unlessSignerAway(
  { id, nonce }: Pick<TransactionRow, "id" | "nonce">,
  log: Log,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isSignerAway(error)) throw error;
    log.warn({ transaction: id, nonce }, (error as ArcadeError).message);
  }
}
