import { type Address, ExecutionRevertedError, type Hex, numberToHex, type PublicClient } from "viem";
import { isLocalChain } from "../../../../domain/chain-ids.ts";
import { ArcadeError } from "../../../../domain/errors.ts";
import { findRevertData } from "../../../../domain/reverts.ts";
import { describeRevert } from "../reverts.ts";
import { createUnavailableError, findRpcError } from "../rpc-errors.ts";

export interface CallRequest {
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
  /** A sponsored call: its gas limit is charged to a wallet, so it gets its own estimate. */
  readonly isRelay?: boolean;
  /** The wallet's code (ERC-1271) determines the gas. */
  readonly runsWalletCode?: boolean;
  /** The maximum gas that the call may be signed with; null or absent: no limit. */
  readonly gasMax?: bigint | null;
}

/**
 * The maximum gas estimate of a call that runs a wallet's code: an identity's mint, and several times a usual signature
 * check.
 */
const WALLET_CODE_GAS_MAX = 1_000_000n;

/** The gas of a call depends on the state in its block. */
const addMargin = (estimate: bigint): bigint => (estimate * 5n) / 4n + 10_000n;

/** How nodes report a failure in a call's code; the second text is from older Nethermind. */
const FAILED_CALL = /revert|vm execution error/i;
const OUT_OF_GAS = /gas required exceeds|out of gas|gas spent exceeded/i;

/** The error of a call that would fail; null if it is not a JSON-RPC error. */
function toCallError(error: unknown): ArcadeError | null {
  const rpcError = findRpcError(error);
  if (rpcError === null) return null;
  const words = `${rpcError.details} ${rpcError.message}`;
  if (OUT_OF_GAS.test(words))
    return new ArcadeError("TX_FAILED", "The call needs more gas than allowed.", { revert: "OutOfGas" });
  if (findRevertData(error) === null && !FAILED_CALL.test(words))
    return createUnavailableError(`JSON-RPC error ${rpcError.code}`);
  const { name, text } = describeRevert(new ExecutionRevertedError({ cause: rpcError }))!;
  return new ArcadeError("TX_FAILED", `The contract refuses the call: ${text}.`, { revert: name });
}

/**
 * Simulates calls and finds their gas limits. An estimate runs a call many times, so payouts share one; each runs once
 * with that limit, and gets its own estimate if it fails. The limit is thus that of the largest payout. Relays get an
 * estimate each.
 */
export class GasLimits {
  readonly #from: Hex;
  readonly #blockTag: readonly ["pending"] | readonly [];
  readonly #sharedMax: bigint | null;
  /** The limit of payouts; resolves to null if the first estimate failed or was too high. */
  #shared: Promise<bigint | null> | null = null;

  /** `sharedMax`: a higher estimate is for its own call only, since a node may be wrong once; null: no limit. */
  constructor(from: Hex, chainId: number, sharedMax: bigint | null) {
    this.#from = from;
    this.#sharedMax = sharedMax;
    // The local chain mines no block between transactions; the transaction's block will have a later time.
    this.#blockTag = isLocalChain(chainId) ? ["pending"] : [];
  }

  /**
   * The gas limit of a call, or the error with which it would fail: `TX_FAILED` if the contract reverts. Throws if no
   * node responds.
   */
  async find(client: PublicClient, request: CallRequest): Promise<bigint | ArcadeError> {
    const { to, data, value, isRelay = false, runsWalletCode = false, gasMax = null } = request;
    const call = { from: this.#from, to, data, value: numberToHex(value) };
    if (gasMax !== null) {
      const estimate = await this.#estimate(client, { ...call, gas: numberToHex(gasMax) });
      return estimate instanceof ArcadeError || estimate < gasMax ? estimate : gasMax;
    }
    if (runsWalletCode) return await this.#estimate(client, { ...call, gas: numberToHex(WALLET_CODE_GAS_MAX) });
    if (isRelay) return await this.#estimate(client, call);
    if (this.#shared === null) {
      const estimate = this.#estimate(client, call);
      this.#shared = estimate.then(
        (value) => this.#toShared(value),
        () => null,
      );
      return await estimate;
    }
    const limit = await this.#shared;
    if (limit !== null && (await this.#isEnough(client, call, limit))) return limit;
    const estimate = await this.#estimate(client, call);
    const shared = this.#toShared(estimate);
    if (shared !== null) this.#shared = Promise.resolve(shared);
    return estimate;
  }

  #toShared(estimate: bigint | ArcadeError): bigint | null {
    if (estimate instanceof ArcadeError) return null;
    return this.#sharedMax === null || estimate <= this.#sharedMax ? estimate : null;
  }

  async #isEnough(client: PublicClient, call: object, limit: bigint): Promise<boolean> {
    const params = [{ ...call, gas: numberToHex(limit) }, this.#blockTag[0] ?? "latest"];
    try {
      await client.request({ method: "eth_call", params } as never);
      return true;
    } catch (error) {
      if (findRpcError(error) === null) throw error;
      return false;
    }
  }

  async #estimate(client: PublicClient, call: object): Promise<bigint | ArcadeError> {
    try {
      const params = [call, ...this.#blockTag];
      return addMargin(BigInt(await client.request({ method: "eth_estimateGas", params } as never)));
    } catch (error) {
      const callError = toCallError(error);
      if (callError === null) throw error;
      return callError;
    }
  }
}
