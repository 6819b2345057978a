import type { TransactionRow } from "../../../ports/store/chain.ts";
import { isSignerAway, type OperatorAccount } from "./account.ts";
import { listSignedVersions, type SignedVersion } from "./fees.ts";
import type { FoundTransaction, OperatorWallet } from "./operator-wallet.ts";

/** The maximum number of transactions to look up by hash; for more, the receipts of whole blocks are read. */
const BY_HASH_MAX = 20;
/** The number of blocks whose receipts are read at once. */
const BLOCKS_MAX = 64;
/** The number of transactions that one request looks up by hash. */
const LOOKUP_BATCH = 50;

export interface Lookup {
  /** The version in a block, if it is not the row's last one. */
  readonly version: SignedVersion | null;
  readonly at: { readonly block: number; readonly ok: boolean } | "known" | "unknown" | null;
}

/** The blocks since the last poll; null if blocks may have been replaced. */
export type NewBlocks = { readonly from: number; readonly to: number } | null;

/**
 * While the signer is unavailable, earlier versions cannot be located; without a receipt, the result of a call is
 * unknown.
 */
const UNKNOWN: Lookup = { version: null, at: "unknown" };
const WAITS: Lookup = { version: null, at: "known" };

/** The lookup of a transaction that is in a block. */
export type MinedLookup = Lookup & { readonly at: { readonly block: number; readonly ok: boolean } };

export const isInBlock = (lookup: Lookup): lookup is MinedLookup => lookup.at !== null && typeof lookup.at === "object";

/**
 * Without a receipt, a transaction in a block keeps its last known result if the block is the same; otherwise the
 * result is unknown.
 */
function toLookup(found: FoundTransaction, { block, status }: TransactionRow): Lookup {
  if (found === null || found === "known") return { version: null, at: found };
  if (found.ok !== null) return { version: null, at: { block: found.block, ok: found.ok } };
  return found.block === block ? { version: null, at: { block, ok: status === "included" } } : UNKNOWN;
}

function listBlocks(rows: readonly TransactionRow[], newBlocks: NewBlocks): readonly number[] {
  const numbers = new Set(rows.flatMap(({ block }) => (block === null ? [] : [block])));
  const { from, to } = newBlocks ?? { from: 0, to: -1 };
  for (let number = from; number <= to && numbers.size <= BLOCKS_MAX; number++) numbers.add(number);
  return [...numbers];
}

/** Finds the operator's transactions on the chain. */
export class Locator {
  readonly #account: OperatorAccount;
  readonly #wallet: OperatorWallet;

  constructor({ account, wallet }: { readonly account: OperatorAccount; readonly wallet: OperatorWallet }) {
    this.#account = account;
    this.#wallet = wallet;
  }

  /** `rows` in nonce order; `minedCount`: the lowest nonce that no block has used. */
  async locate(
    rows: readonly TransactionRow[],
    newBlocks: NewBlocks,
    minedCount: number,
  ): Promise<ReadonlyMap<string, Lookup>> {
    const lookups = new Map<string, Lookup>();
    const blocks = rows.length > BY_HASH_MAX ? listBlocks(rows, newBlocks) : [];
    const mined = await this.#readBlocks(blocks, newBlocks);
    for (const { id, txHash } of rows) {
      const at = mined?.get(txHash);
      if (at !== undefined) lookups.set(id, { version: null, at });
    }
    const missing = rows.filter(({ id }) => !lookups.has(id));
    // No block has these, so they are waiting; whether the node still has them is unknown.
    const isSeen = newBlocks !== null && mined !== null;
    const waits = ({ block, nonce }: TransactionRow): boolean => isSeen && block === null && nonce >= minedCount;
    await this.#lookUp(
      missing.filter((row) => !waits(row)),
      lookups,
    );
    await this.#lookUpWaiting(missing.filter(waits), lookups);
    return lookups;
  }

  /** Reads the transactions of blocks; null if the node cannot list them. */
  async #readBlocks(blocks: readonly number[], newBlocks: NewBlocks) {
    if (blocks.length > BLOCKS_MAX) return null;
    if (blocks.length > 0) return await this.#wallet.locateInBlocks(blocks);
    return newBlocks !== null && newBlocks.to < newBlocks.from ? new Map<string, never>() : null;
  }

  async #lookUp(rows: readonly TransactionRow[], lookups: Map<string, Lookup>): Promise<void> {
    for (let from = 0; from < rows.length; from += LOOKUP_BATCH) {
      const batch = rows.slice(from, from + LOOKUP_BATCH);
      const found = await this.#wallet.locate(batch.map(({ txHash }) => txHash));
      for (const [index, row] of batch.entries()) {
        const lookup = toLookup(found[index]!, row);
        const isFound = isInBlock(lookup) || lookup.at === "unknown";
        lookups.set(row.id, isFound ? lookup : await this.#findOtherVersion(row, lookup));
      }
    }
  }

  /**
   * Nodes drop transactions from the highest nonce down or all at once: if the lowest ones are known, so are the
   * others.
   */
  async #lookUpWaiting(rows: readonly TransactionRow[], lookups: Map<string, Lookup>): Promise<void> {
    for (let from = 0; from < rows.length; from += LOOKUP_BATCH) {
      const batch = rows.slice(from, from + LOOKUP_BATCH);
      await this.#lookUp(batch, lookups);
      if (batch.some(({ id }) => lookups.get(id)?.at !== "known")) continue;
      for (const { id } of rows.slice(from + LOOKUP_BATCH)) lookups.set(id, WAITS);
      return;
    }
  }

  /** Null while the signer is unavailable. */
  async #listVersions(row: TransactionRow): Promise<readonly SignedVersion[] | null> {
    try {
      return await listSignedVersions(this.#account, row);
    } catch (error) {
      if (isSignerAway(error)) return null;
      throw error;
    }
  }

  /** The version of a transaction that the chain has, searched from the highest fees down. */
  async #findOtherVersion(row: TransactionRow, lookup: Lookup): Promise<Lookup> {
    const versions = await this.#listVersions(row);
    if (versions === null) return UNKNOWN;
    const others = versions.filter(({ txHash }) => txHash !== row.txHash).reverse();
    if (others.length === 0) return lookup;
    const found = await this.#wallet.locate(others.map(({ txHash }) => txHash));
    const index = found.findIndex((at) => at !== null && at !== "known");
    return index === -1 ? lookup : { ...toLookup(found[index]!, row), version: others[index]! };
  }
}
