import type { Hex } from "viem";
import { isHex, keccak256, numberToHex, type RpcBlock } from "viem";
import { LOCAL_CHAIN_ID } from "../domain/chain-ids.ts";
import { CREATE2_FACTORY } from "./create2-factory.ts";
import { type Provider, startEngine } from "./engine.ts";
import { Journal, type JournalBlock, type JournalEntry, type JournalTransaction } from "./journal.ts";
import { type JournalReplayResult, replayJournal } from "./replay.ts";
import { RpcError } from "./rpc-error.ts";
import { type Snapshot, Snapshots } from "./snapshots.ts";
import { checkTime } from "./time-limit.ts";
import { readBlock } from "./transactions.ts";

type Params = readonly unknown[];

export interface JournaledEngineOptions {
  readonly journalPath: string;
  /** Funded and unlocked by genesis. */
  readonly accounts: readonly { readonly address: Hex; readonly privateKey: Hex }[];
  readonly log: (message: string) => void;
  /** Unix seconds of each block, instead of a clock. */
  readonly getBlockTime?: (() => number) | undefined;
}

/** State changes without a block, repeated unchanged during a replay. */
const JOURNALED_CALL =
  /^(hardhat_(set|impersonate|stopImpersonating)(?!LoggingEnabled|LedgerOutput)|evm_setBlockGasLimit$)/;

const MINING = /^(eth_send|evm_mine$)/;

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/**
 * An EVM engine that journals every change before its caller gets the result. Changes must not overlap: the caller
 * serializes them.
 */
export class JournaledEngine {
  readonly #journal: Journal;
  readonly #provider: Provider;
  /** Signed transactions that were received and are not in a block yet, by hash. */
  readonly #received = new Map<Hex, Hex>();
  readonly #snapshots = new Snapshots();
  readonly #unwritten: JournalEntry[] = [];
  #blockNumber: number;
  #timeOffsetSeconds: number;
  #isTimestampSet = false;
  /** After a revert the engine's clock is ahead by the time since the snapshot, until a block gets an explicit time. */
  #isReverted = false;
  readonly #getBlockTime: (() => number) | undefined;

  private constructor(
    journal: Journal,
    provider: Provider,
    replayed: JournalReplayResult,
    getBlockTime: (() => number) | undefined,
  ) {
    this.#getBlockTime = getBlockTime;
    this.#journal = journal;
    this.#provider = provider;
    this.#blockNumber = replayed.blockNumber;
    this.#timeOffsetSeconds = replayed.timeOffsetSeconds;
  }

  /** Opens the journal and replays it into a new engine. Throws if that fails, or if the accounts differ. */
  static async open({ journalPath, accounts, log, getBlockTime }: JournaledEngineOptions): Promise<JournaledEngine> {
    const addresses = accounts.map((account) => account.address);
    const genesisAt = (getBlockTime ?? nowSeconds)();
    const newHeader = { version: 1, chainId: LOCAL_CHAIN_ID, genesisAt, accounts: addresses } as const;
    const journal = await Journal.open(journalPath, newHeader, [CREATE2_FACTORY]);
    try {
      const { header } = journal;
      if (header.accounts.join() !== addresses.join()) {
        throw new Error("The local chain was made for other development accounts. Start it again with --fresh.");
      }
      const keys = accounts.map((account) => account.privateKey);
      const provider = await startEngine(header.genesisAt, keys);
      const replayed = await replayJournal(provider, journal.entries, getBlockTime ?? nowSeconds);
      if (!replayed.isExact) log("The local chain was rebuilt with other block hashes than before.");
      return new JournaledEngine(journal, provider, replayed, getBlockTime);
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  get blockNumber(): number {
    return this.#blockNumber;
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#provider.on("message", listener);
  }

  /** A request that changes nothing. */
  async call(method: string, params: Params): Promise<unknown> {
    const result = await this.#provider.request({ method, params: [...params] });
    if (this.#getBlockTime === undefined || method !== "eth_getBlockByNumber" || params[0] !== "pending") return result;
    // The engine counts the machine's seconds since the last block.
    return { ...(result as RpcBlock), timestamp: numberToHex(this.#getBlockTime()) };
  }

  /** A request that changes the chain; resolves when the change is on disk. */
  async mutate(method: string, params: Params): Promise<unknown> {
    await checkTime(method, params, () => this.#getNextTimestamp());
    if (method === "evm_revert" && params.length > 0) return this.#revertTo(params[0]);
    if (method === "hardhat_mine") return this.#mine(params);
    const mayMine = method.startsWith("eth_send") || (method === "evm_mine" && params.length === 0);
    if (mayMine && ((this.#isReverted && !this.#isTimestampSet) || this.#getBlockTime !== undefined))
      await this.call("evm_setNextBlockTimestamp", [await this.#getDueTime()]);
    const hash = method === "eth_sendRawTransaction" && isHex(params[0]) ? keccak256(params[0]) : null;
    if (hash !== null) this.#received.set(hash, params[0] as Hex);

    let result: unknown;
    try {
      if (MINING.test(method)) await this.#keepHead();
      result = await this.call(method, params);
    } catch (error) {
      if (hash !== null) this.#received.delete(hash);
      throw error;
    } finally {
      // Also after an error: a reverted transaction is in a block.
      await this.#recordChange(method, params, result);
    }
    if (method === "evm_snapshot") this.#snapshots.add(String(result), this.#describeState());
    return result;
  }

  async close(): Promise<void> {
    await this.#journal.close();
    await this.#provider.close();
  }

  async #recordChange(method: string, params: Params, result: unknown): Promise<void> {
    const entries: JournalEntry[] = [];
    if (
      result !== undefined &&
      (method === "evm_setNextBlockTimestamp" || (method === "evm_mine" && params.length > 0))
    )
      this.#isTimestampSet = true;
    if (result !== undefined && JOURNALED_CALL.test(method)) entries.push({ kind: "call", method, params });
    const blocks = await this.#collectBlocks();
    entries.push(...blocks);
    const isTimed = this.#isTimestampSet && blocks.length > 0;
    if ((isTimed || (method === "evm_increaseTime" && result !== undefined)) && this.#getBlockTime === undefined) {
      if (isTimed) this.#isTimestampSet = false;
      this.#timeOffsetSeconds = this.#isReverted
        ? this.#timeOffsetSeconds + Number(params[0])
        : (await this.#getNextTimestamp()) - nowSeconds();
      entries.push({ kind: "travel", seconds: this.#timeOffsetSeconds });
    }
    await this.#record(entries);
  }

  #describeState(): Snapshot {
    const [blockNumber, timeOffsetSeconds] = [this.#blockNumber, this.#timeOffsetSeconds];
    return { journalLength: this.#journal.length, blockNumber, timeOffsetSeconds };
  }

  /** The blocks since the last call, with the transactions in them. */
  async #collectBlocks(): Promise<JournalBlock[]> {
    const head = Number((await this.call("eth_blockNumber", [])) as Hex);
    const blocks: JournalBlock[] = [];
    for (let number = this.#blockNumber + 1; number <= head; number++) {
      const { block, mined } = await readBlock(this, number, this.#received);
      for (const { hash } of mined) this.#received.delete(hash);
      blocks.push(block);
    }
    this.#blockNumber = head;
    if (blocks.length > 0) this.#isReverted = false;
    return blocks;
  }

  async #keepHead(): Promise<void> {
    this.#snapshots.addHead(String(await this.call("evm_snapshot", [])), this.#describeState());
  }

  /** Removes the last blocks. Throws for more blocks than this process has mined. */
  async rollBack(depth: unknown): Promise<void> {
    const id = this.#snapshots.findHead(this.#blockNumber - Number(depth));
    if (!Number.isInteger(depth) || Number(depth) < 1 || id === undefined) {
      throw new RpcError(-32_602, `Expected ${this.#snapshots.depths}, received ${JSON.stringify(depth)}`);
    }
    await this.#revert([id]);
  }

  /** Replaces the last blocks with as many others; each given transaction goes into the block of its index. */
  async reorg(depth: unknown, transactions: readonly (readonly [JournalTransaction, number])[]): Promise<void> {
    const first = this.#blockNumber - Number(depth) + 1;
    const replaced: JournalBlock[] = [];
    const hashes: Hex[] = [];
    if (Number.isInteger(depth) && this.#snapshots.findHead(first - 1) !== undefined)
      for (let number = first; number <= this.#blockNumber; number++) {
        const { block, mined } = await readBlock(this, number, this.#received);
        replaced.push(block);
        hashes.push(...mined.map(({ hash }) => hash));
      }
    await this.rollBack(depth);
    // Transactions that waited before these blocks are in the pool again.
    for (const hash of hashes) await this.call("hardhat_dropTransaction", [hash]);
    const isAutomine = await this.call("hardhat_getAutomine", []);
    await this.call("evm_setAutomine", [false]);
    let timestamp = 0;
    for (const [index, block] of replaced.entries()) {
      await this.#keepHead();
      for (const [transaction, place] of transactions)
        if (place === index)
          await (typeof transaction === "string"
            ? this.call("eth_sendRawTransaction", [transaction])
            : this.call("eth_sendTransaction", [transaction])
          ).catch(() => undefined);
      // A different time, so that an empty block has a different hash.
      timestamp = Math.max(timestamp, block.timestamp + 1);
      await this.call("evm_mine", [timestamp]);
      await this.#record(await this.#collectBlocks());
    }
    await this.call("evm_setAutomine", [isAutomine]);
    await this.#holdClock();
  }

  /** The same, keeping the replaced blocks' transactions except those of `lose`; null: all are lost. */
  async reorgWithout(depth: unknown, lose: readonly string[] | null): Promise<void> {
    const kept: [JournalTransaction, number][] = [];
    const first = this.#blockNumber - Number(depth) + 1;
    for (let number = first; lose !== null && number >= 1 && number <= this.#blockNumber; number++) {
      const { block, mined } = await readBlock(this, number, this.#received);
      for (const [index, { hash }] of mined.entries())
        if (!lose.includes(hash)) kept.push([block.transactions[index]!, number - first]);
    }
    await this.reorg(depth, kept);
  }

  /** The time of a block mined now: the engine has no other way to read its time offset. */
  async #getNextTimestamp(): Promise<number> {
    const pending = (await this.call("eth_getBlockByNumber", ["pending", false])) as RpcBlock;
    return Number(pending.timestamp);
  }

  /** The time of the next block by the clock, not before the last block. */
  async #getDueTime(): Promise<number> {
    if (this.#getBlockTime !== undefined) return this.#getBlockTime();
    const head = (await this.call("eth_getBlockByNumber", ["latest", false])) as RpcBlock;
    return Math.max(nowSeconds() + this.#timeOffsetSeconds, Number(head.timestamp));
  }

  /** Reverts to a snapshot of a caller, whose id may be a number; false if there is none. */
  async #revertTo(given: unknown): Promise<unknown> {
    const id = /^(0x[0-9a-f]+|[0-9]+)$/i.test(String(given)) ? numberToHex(BigInt(given as string)) : "";
    return this.#snapshots.isCallers(id) ? this.#revert([id]) : false;
  }

  /** Reverts to a snapshot: truncates the journal, and the chain's clock continues with the wall clock. */
  async #revert(params: Params): Promise<unknown> {
    const snapshot = this.#snapshots.find(String(params[0]));
    const result = await this.call("evm_revert", params);
    if (result !== true || snapshot === undefined) return result;
    this.#unwritten.length = 0;
    await this.#journal.truncate(snapshot.journalLength);
    this.#blockNumber = snapshot.blockNumber;
    this.#timeOffsetSeconds = snapshot.timeOffsetSeconds;
    this.#snapshots.removeHeadsFrom(String(params[0]));
    await this.#holdClock();
    return result;
  }

  async #holdClock(): Promise<void> {
    this.#isReverted = true;
    this.#isTimestampSet = false;
    await this.call("evm_setNextBlockTimestamp", [await this.#getDueTime()]);
  }

  /** Mines one block at a time: the engine's method for many empty blocks gives other hashes than a replay. */
  async #mine(params: Params): Promise<unknown> {
    const count = Number(params[0] ?? 1);
    const intervalSeconds = Number(params[1] ?? 1);
    let timestamp =
      this.#isReverted && !this.#isTimestampSet ? await this.#getDueTime() : await this.#getNextTimestamp();
    for (let mined = 0; mined < count; mined++) {
      await this.#keepHead();
      await this.call("evm_mine", [timestamp]);
      this.#blockNumber += 1;
      timestamp += intervalSeconds;
    }
    this.#blockNumber -= count;
    const blocks = await this.#collectBlocks();
    this.#timeOffsetSeconds = (await this.#getNextTimestamp()) - nowSeconds();
    await this.#record([...blocks, { kind: "travel", seconds: this.#timeOffsetSeconds }]);
    return true;
  }

  /** Entries that a full disk rejected stay in the list, so that the journal never has a gap. */
  async #record(entries: readonly JournalEntry[]): Promise<void> {
    this.#unwritten.push(...entries);
    await this.#journal.append(this.#unwritten);
    this.#unwritten.length = 0;
  }
}
