import { keccak256, type RpcBlock, type RpcTransaction, toHex } from "viem";
import { LOCAL_CHAIN_ID } from "../chain-id.ts";
import { FAUCET, type Provider, startEngine } from "./engine.ts";
import { Gate } from "./gate.ts";
import { copyJournal, Journal, type JournalBlock, type JournalEntry, type JournalTransaction } from "./journal.ts";
import { replayJournal } from "./replay.ts";
import { rebuildTransaction } from "./transactions.ts";

type Hex = `0x${string}`;
type Params = readonly unknown[];

interface Snapshot {
  readonly journalLength: number;
  readonly blockNumber: number;
  readonly travelSeconds: number;
}

export interface LocalNodeOptions {
  readonly journalPath: string;
  /** Funded by genesis and unlocked. */
  readonly accounts: readonly { readonly address: Hex; readonly privateKey: Hex }[];
  readonly log: (message: string) => void;
}

/** Blocks one `hardhat_mine` may ask for: each is journaled. */
const MINE_MAX = 10_000;
const REFUSED: { readonly [method: string]: string } = {
  evm_setIntervalMining: "blocks are mined when a transaction arrives; use evm_mine for an empty one",
  hardhat_reset: "stop the chain and start it with --fresh",
};
/** State changes without a block, repeated as they are when the journal is replayed. */
const JOURNALED_CALL =
  /^(hardhat_(set|impersonate|stopImpersonating)(?!LoggingEnabled|LedgerOutput)|evm_setBlockGasLimit$)/;
const MUTATION = /^(eth_send|evm_|hardhat_)(?!getAutomine|metadata)/;

export class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.name = "RpcError";
    this.code = code;
  }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/**
 * The local chain: an engine whose every change is in a journal before the caller hears of it. Changes run one at a
 * time; reads wait for a change that is under way, so nobody sees a block that a crash could take back.
 */
export class LocalNode {
  readonly #options: LocalNodeOptions;
  readonly #gate = new Gate();
  readonly #received = new Map<Hex, Hex>();
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #listeners = new Set<(message: unknown) => void>();
  #journal!: Journal;
  #provider!: Provider;
  readonly #unwritten: JournalEntry[] = [];
  #blockNumber = 0;
  #travelSeconds = 0;
  #timestampSet = false;

  private constructor(options: LocalNodeOptions) {
    this.#options = options;
  }

  /** Starts the chain of this journal: the one it holds, or a new one. */
  static async start(options: LocalNodeOptions): Promise<LocalNode> {
    const node = new LocalNode(options);
    await node.#boot();
    return node;
  }

  get blockNumber(): number {
    return this.#blockNumber;
  }

  /** EIP-1193 request. Throws what the engine throws: an error with a JSON-RPC `code` and, for a revert, hex `data`. */
  request(method: string, params: Params = []): Promise<unknown> {
    const refusal = REFUSED[method];
    if (refusal !== undefined) return Promise.reject(new RpcError(-32_004, `${method} is not supported: ${refusal}`));
    if (!MUTATION.test(method)) return this.#gate.read(() => this.#ask(method, params));
    return this.#gate.write(() => this.#change(method, params));
  }

  /** Sends `address` this many wei of the faucet's; answers the transaction's hash. */
  async fund(address: Hex, amountWei: bigint): Promise<Hex> {
    const transaction = { from: FAUCET.address, to: address, value: toHex(amountWei) };
    return (await this.request("eth_sendTransaction", [transaction])) as Hex;
  }

  /** Keeps a copy of the whole chain under `path`. */
  save(path: string): Promise<void> {
    return this.#gate.write(() => copyJournal(this.#options.journalPath, path));
  }

  /** Becomes the chain that `save` kept under `path`. Whoever follows sees a reorganization. */
  load(path: string): Promise<void> {
    return this.#gate.write(async () => {
      await copyJournal(path, this.#options.journalPath);
      await this.#journal.close();
      await this.#provider.close();
      await this.#boot();
    });
  }

  onMessage(listener: (message: unknown) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await this.#gate.write(async () => {
      await this.#provider.close();
      await this.#journal.close();
    });
  }

  #ask(method: string, params: Params): Promise<unknown> {
    return this.#provider.request({ method, params: [...params] });
  }

  async #boot(): Promise<void> {
    const { journalPath, accounts, log } = this.#options;
    const addresses = accounts.map((account) => account.address);
    const journal = await Journal.open(journalPath);
    try {
      const header = journal.header ?? {
        version: 1,
        chainId: LOCAL_CHAIN_ID,
        genesisAt: nowSeconds(),
        accounts: addresses,
      };
      if (header.accounts.join() !== addresses.join()) {
        throw new Error("The local chain was made for other development accounts. Start it again with --fresh.");
      }
      if (journal.header === null) await journal.append([header]);
      const keys = accounts.map((account) => account.privateKey);
      this.#provider = await startEngine(header.genesisAt, keys);
      const replayed = await replayJournal(this.#provider, journal.entries, nowSeconds);
      if (!replayed.exact) log("The local chain was rebuilt with other block hashes than before.");
      this.#blockNumber = replayed.blockNumber;
      this.#travelSeconds = replayed.travelSeconds;
    } catch (error) {
      await journal.close();
      throw error;
    }
    this.#journal = journal;
    this.#snapshots.clear();
    this.#received.clear();
    this.#provider.on("message", (message) => {
      for (const listener of this.#listeners) listener(message);
    });
  }

  async #change(method: string, params: Params): Promise<unknown> {
    if (method === "evm_revert") return this.#revert(params);
    if (method === "hardhat_mine") return this.#mine(params);
    const hash = method === "eth_sendRawTransaction" ? keccak256(params[0] as Hex) : null;
    if (hash !== null) this.#received.set(hash, params[0] as Hex);
    if (method === "evm_setNextBlockTimestamp" || (method === "evm_mine" && params.length > 0))
      this.#timestampSet = true;

    let answer: unknown;
    try {
      answer = await this.#ask(method, params);
    } catch (error) {
      if (hash !== null) this.#received.delete(hash);
      throw error;
    } finally {
      const entries: JournalEntry[] = [];
      if (answer !== undefined && JOURNALED_CALL.test(method)) entries.push({ kind: "call", method, params });
      const blocks = await this.#collectBlocks();
      entries.push(...blocks);
      if (method === "evm_increaseTime" || (this.#timestampSet && blocks.length > 0)) {
        this.#timestampSet = false;
        this.#travelSeconds = (await this.#nextTimestamp()) - nowSeconds();
        entries.push({ kind: "travel", seconds: this.#travelSeconds });
      }
      await this.#record(entries);
    }
    if (method === "evm_snapshot") {
      this.#snapshots.set(String(answer), {
        journalLength: this.#journal.length,
        blockNumber: this.#blockNumber,
        travelSeconds: this.#travelSeconds,
      });
    }
    return answer;
  }

  async #collectBlocks(): Promise<JournalBlock[]> {
    const head = Number((await this.#ask("eth_blockNumber", [])) as Hex);
    const blocks: JournalBlock[] = [];
    for (let number = this.#blockNumber + 1; number <= head; number++) {
      const block = (await this.#ask("eth_getBlockByNumber", [toHex(number), true])) as RpcBlock;
      const transactions: JournalTransaction[] = [];
      for (const transaction of block.transactions as RpcTransaction[]) {
        transactions.push(this.#received.get(transaction.hash) ?? (await rebuildTransaction(transaction)));
        this.#received.delete(transaction.hash);
      }
      blocks.push({ kind: "block", hash: block.hash!, timestamp: Number(block.timestamp), transactions });
    }
    this.#blockNumber = head;
    return blocks;
  }

  /** The time a block mined now would carry: the engine does not tell its offset otherwise. */
  async #nextTimestamp(): Promise<number> {
    const pending = (await this.#ask("eth_getBlockByNumber", ["pending", false])) as RpcBlock;
    return Number(pending.timestamp);
  }

  /** Back to a snapshot: the journal forgets what followed, and the clock keeps to the wall. */
  async #revert(params: Params): Promise<unknown> {
    const snapshot = this.#snapshots.get(String(params[0]));
    const answer = await this.#ask("evm_revert", params);
    if (answer !== true || snapshot === undefined) return answer;
    this.#unwritten.length = 0;
    await this.#journal.truncate(snapshot.journalLength);
    this.#blockNumber = snapshot.blockNumber;
    this.#travelSeconds = snapshot.travelSeconds;
    const behind = nowSeconds() + this.#travelSeconds - (await this.#nextTimestamp());
    if (behind > 0) await this.#ask("evm_increaseTime", [behind]);
    return answer;
  }

  /** One by one, because the engine's shortcut for many empty blocks gives other hashes than a replay would. */
  async #mine(params: Params): Promise<unknown> {
    const count = Number(params[0] ?? 1);
    const intervalSeconds = Number(params[1] ?? 1);
    if (!(count >= 0 && count <= MINE_MAX))
      throw new RpcError(-32_602, `hardhat_mine: at most ${MINE_MAX} blocks at once`);
    let timestamp = await this.#nextTimestamp();
    for (let mined = 0; mined < count; mined++) {
      await this.#ask("evm_mine", [timestamp]);
      timestamp += intervalSeconds;
    }
    const blocks = await this.#collectBlocks();
    this.#travelSeconds = (await this.#nextTimestamp()) - nowSeconds();
    await this.#record([...blocks, { kind: "travel", seconds: this.#travelSeconds }]);
    return true;
  }

  /** Lines that a full disk refused wait here, so that the journal never has a hole. */
  async #record(entries: readonly JournalEntry[]): Promise<void> {
    this.#unwritten.push(...entries);
    await this.#journal.append(this.#unwritten);
    this.#unwritten.length = 0;
  }
}
