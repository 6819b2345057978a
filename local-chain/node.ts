import type { Hex } from "viem";
import { toHex } from "viem";
import { replaceFileByCopy } from "../backend/adapters/node/replace-file.ts";
import { FAUCET } from "./engine.ts";
import { JournaledEngine, type JournaledEngineOptions } from "./journaled-engine.ts";
import { RpcError } from "./rpc-error.ts";
import { RwLock } from "./rw-lock.ts";

type Params = readonly unknown[];

const UNSUPPORTED_METHODS: { readonly [method: string]: string } = {
  evm_setIntervalMining: "blocks are mined when a transaction arrives; use evm_mine for an empty one",
  hardhat_reset: "stop the chain and start it with --fresh",
};
const MUTATION = /^(eth_send|evm_|hardhat_)(?!getAutomine|metadata)/;

/**
 * The local chain's node. Changes run one at a time; reads wait for a change that runs, so that no reader sees a block
 * that a crash could take back.
 */
export class LocalNode {
  readonly #options: JournaledEngineOptions;
  readonly #lock = new RwLock();
  readonly #changeListeners = new Set<() => void>();
  readonly #listeners = new Set<(message: unknown) => void>();
  #engine: JournaledEngine;

  private constructor(options: JournaledEngineOptions, engine: JournaledEngine) {
    this.#options = options;
    this.#engine = engine;
    this.#forwardMessages();
  }

  /** Starts the chain that the journal holds, or a new one. */
  static async start(options: JournaledEngineOptions): Promise<LocalNode> {
    return new LocalNode(options, await JournaledEngine.open(options));
  }

  get blockNumber(): number {
    return this.#engine.blockNumber;
  }

  /** EIP-1193 request. Throws what the engine throws: an error with a JSON-RPC `code` and, for a revert, hex `data`. */
  request(method: string, params: Params = []): Promise<unknown> {
    const reason = UNSUPPORTED_METHODS[method];
    if (reason !== undefined) return Promise.reject(new RpcError(-32_004, `${method} is not supported: ${reason}`));
    if (!MUTATION.test(method)) return this.#lock.read(() => this.#engine.call(method, params));
    return this.#lock.write(() => this.#engine.mutate(method, params).finally(() => this.#announceChange()));
  }

  /** Calls back after each change, before the caller that has made it gets its result. */
  onChanged(listener: () => void): void {
    this.#changeListeners.add(listener);
  }

  #announceChange(): void {
    for (const listener of this.#changeListeners) listener();
  }

  /** Sends wei from the faucet to `address`; returns the transaction's hash. */
  async fund(address: Hex, amountWei: bigint): Promise<Hex> {
    const transaction = { from: FAUCET.address, to: address, value: toHex(amountWei) };
    return (await this.request("eth_sendTransaction", [transaction])) as Hex;
  }

  /** Copies the whole chain to `path`. */
  save(path: string): Promise<void> {
    return this.#lock.write(() => replaceFileByCopy(this.#options.journalPath, path));
  }

  /** Replaces the chain by the one that `save` copied to `path`. Clients see a reorganization. */
  load(path: string): Promise<void> {
    return this.#lock.write(async () => {
      await replaceFileByCopy(path, this.#options.journalPath);
      await this.#engine.close();
      this.#engine = await JournaledEngine.open(this.#options);
      this.#forwardMessages();
    });
  }

  /** Calls `listener` with each notification of a subscription; the returned function removes it. */
  onMessage(listener: (message: unknown) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await this.#lock.write(() => this.#engine.close());
  }

  #forwardMessages(): void {
    this.#engine.onMessage((message) => {
      for (const listener of this.#listeners) listener(message);
    });
  }
}
