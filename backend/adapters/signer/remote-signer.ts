/**
 * Keys that another process holds: web3signer, a proxy of a key management service, or anything with that interface.
 */
import {
  type Hex,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializableEIP1559,
  type TransactionSerializedEIP1559,
} from "viem";
import { z } from "zod";
import { isSameAddress } from "../../../domain/addresses.ts";
import { ArcadeError } from "../../../domain/errors.ts";
import type { RemoteKey } from "../../../domain/keys.ts";
import type { Clock, Signer } from "../../ports/system.ts";
import { CircuitBreaker } from "../chain/breaker.ts";
import { postJson, ResponseTimeoutError } from "../node/post-json.ts";
import { hashTypedData } from "./hash-typed-data.ts";
import { keccak256, toHex } from "./keccak.ts";
import { recoverSigner } from "./recover.ts";

/** The longest wait for one signature. */
const DEADLINE_MS = 2_000;
/** A signed transaction of the longest call that nodes accept has 256 kB as hex. */
const RESPONSE_BYTES_MAX = 512 * 1024;
/** The number of cached signed transactions, so that the same one is not requested again. */
const SIGNED_KEPT_MAX = 1_000;

/** Some servers include an error in every response, null on success. */
const responseSchema = z.object({ result: z.unknown().optional(), error: z.object({ code: z.number() }).nullish() });
const signatureSchema = z.string().regex(/^0x[0-9a-fA-F]{130}$/);
/** Some signers return the bytes, some the bytes and the transaction. */
const rawSchema = z.union([
  z.string().regex(/^0x02([0-9a-fA-F]{2})+$/),
  z.object({ raw: z.string().regex(/^0x02([0-9a-fA-F]{2})+$/) }).transform(({ raw }) => raw),
]);

const createSignerError = (address: string, problem: string): ArcadeError =>
  new ArcadeError("SIGNER_UNAVAILABLE", `The signer of ${address} ${problem}; try again in a few seconds.`);

/** A server may close an idle connection just as a request arrives. Signing the same again does no harm. */
const isCut = (error: unknown): boolean =>
  ["ECONNRESET", "EPIPE"].includes((error as NodeJS.ErrnoException | null)?.code ?? "");

/** Calls the signer. Every failure is `SIGNER_UNAVAILABLE`, and no message contains its address or token. */
class RemoteCaller {
  readonly #key: RemoteKey;
  readonly #breaker: CircuitBreaker;

  constructor(key: RemoteKey, clock: Clock) {
    this.#key = key;
    this.#breaker = new CircuitBreaker(clock);
  }

  fail(problem: string): ArcadeError {
    return createSignerError(this.#key.address, problem);
  }

  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    if (!this.#breaker.allowRequest()) throw this.fail("did not answer a moment ago");
    try {
      const result = await this.#request(method, params).catch((error: unknown) => {
        if (!isCut(error)) throw error;
        return this.#request(method, params);
      });
      this.#breaker.recordSuccess();
      return result;
    } catch (error) {
      this.#breaker.recordFailure();
      if (error instanceof ArcadeError) throw error;
      const isLate = error instanceof ResponseTimeoutError;
      throw this.fail(isLate ? `did not answer within ${DEADLINE_MS / 1000} s` : "does not answer");
    }
  }

  async #request(method: string, params: readonly unknown[]): Promise<unknown> {
    const { url, token } = this.#key;
    const { ok, status, text } = await postJson({
      url: new URL(url),
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      timeoutMs: DEADLINE_MS,
      bytesMax: RESPONSE_BYTES_MAX,
    });
    if (!ok) throw this.fail(`answers with HTTP ${status}`);
    const { result, error } = responseSchema.parse(JSON.parse(text));
    if (error) throw this.fail(`refuses to sign (JSON-RPC error ${error.code})`);
    return result;
  }
}

/** v as contracts expect it: 27 or 28. */
function withEthereumV(signature: Hex): Hex {
  const v = Number.parseInt(signature.slice(-2), 16);
  return v < 27 ? (`${signature.slice(0, -2)}${(v + 27).toString(16)}` as Hex) : signature;
}

const isFrom = (signer: string | null, address: string): boolean => signer !== null && isSameAddress(signer, address);

/** Signs typed messages by `eth_signTypedData_v4`. Never returns a signature by another key or of another message. */
export function createRemoteSigner(key: RemoteKey, clock: Clock): Signer {
  const caller = new RemoteCaller(key, clock);
  return {
    address: key.address,
    sign: async (typedData) => {
      const digest = hashTypedData(typedData);
      const result = await caller.call("eth_signTypedData_v4", [key.address, JSON.stringify(typedData)]);
      const signature = signatureSchema.safeParse(result);
      if (!signature.success) throw caller.fail("answered without a signature");
      const signed = withEthereumV(signature.data as Hex);
      if (!isFrom(recoverSigner(digest, signed), key.address)) throw caller.fail("signed with another key");
      return { signature: signed, digest: toHex(digest) };
    },
  };
}

const toRpcTransaction = (from: Hex, transaction: TransactionSerializableEIP1559): object => {
  const { to, data, value = 0n, gas, nonce, chainId, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const numbers = { value, gas, nonce, chainId, maxFeePerGas, maxPriorityFeePerGas };
  const quantities = Object.entries(numbers).map(([name, number]) => [name, `0x${(number ?? 0).toString(16)}`]);
  return { from, to, data: data ?? "0x", type: "0x2", ...Object.fromEntries(quantities) };
};

const toBytes = (hex: string): Uint8Array => Buffer.from(hex.slice(2), "hex");
const padWord = (hex: Hex): string => hex.slice(2).padStart(64, "0");

/** Whether the bytes are this transaction, signed by this address. */
function isSignedBy(address: Hex, transaction: TransactionSerializableEIP1559, raw: Hex): boolean {
  const { r, s, yParity } = parseTransaction(raw as TransactionSerializedEIP1559);
  if (r === undefined || s === undefined || yParity === undefined) return false;
  if (serializeTransaction(transaction, { r, s, yParity }) !== raw.toLowerCase()) return false;
  const digest = keccak256(toBytes(serializeTransaction(transaction)));
  const signature = `0x${padWord(r)}${padWord(s)}${yParity === 0 ? "1b" : "1c"}` as Hex;
  return isFrom(recoverSigner(digest, signature), address);
}

const isSignedBySafely = (...args: Parameters<typeof isSignedBy>): boolean => {
  try {
    return isSignedBy(...args);
  } catch {
    return false;
  }
};

/**
 * Signs transactions with `eth_signTransaction`. The signer must be deterministic (RFC 6979), which the first
 * transaction tests: hashes of earlier versions of a transaction are recomputed after a crash.
 */
export function createRemoteAccount(key: RemoteKey, clock: Clock) {
  const caller = new RemoteCaller(key, clock);
  const signed = new Map<Hex, Hex>();
  let isTried = false;

  async function ask(transaction: TransactionSerializableEIP1559): Promise<Hex> {
    const result = await caller.call("eth_signTransaction", [toRpcTransaction(key.address, transaction)]);
    const raw = rawSchema.safeParse(result);
    if (!raw.success) throw caller.fail("answered without a signed transaction");
    if (!isSignedBySafely(key.address, transaction, raw.data as Hex))
      throw caller.fail("signed another transaction, or with another key");
    return raw.data.toLowerCase() as Hex;
  }

  return {
    address: key.address,
    async signTransaction(transaction: TransactionSerializableEIP1559): Promise<Hex> {
      const unsigned = serializeTransaction(transaction);
      const known = signed.get(unsigned);
      if (known !== undefined) return known;
      const raw = await ask(transaction);
      if (!isTried && (await ask(transaction)) !== raw)
        throw caller.fail("gives another signature each time, and has to be deterministic (RFC 6979)");
      isTried = true;
      const [oldest] = signed.keys();
      if (signed.size >= SIGNED_KEPT_MAX && oldest !== undefined) signed.delete(oldest);
      signed.set(unsigned, raw);
      return raw;
    },
  };
}
