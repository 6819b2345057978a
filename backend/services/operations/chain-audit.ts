import type { Address } from "viem";
import { startOfDay, startOfWeek } from "../../../domain/payout-rule.ts";
import type { ChainIndex, ChainReader, ContractFigures } from "../../ports/chain.ts";
import type { ChainStore } from "../../ports/store/chain.ts";
import type { ChainAuditStore, WalletFigures } from "../../ports/store/chain-audit.ts";
import type { Clock, Log } from "../../ports/system.ts";
import { RepeatedJob } from "../repeated-job.ts";

interface ChainAuditPorts {
  readonly store: { readonly chain: Pick<ChainStore, "getCursor" | "findBlock">; readonly chainAudit: ChainAuditStore };
  readonly chain: Pick<ChainReader, "deployment" | "readFigures">;
  readonly index: Pick<ChainIndex, "getHead" | "getFinality">;
  readonly clock: Clock;
  readonly log: Log;
}

/** A figure from the stored events that differs from the contract's. */
interface Difference {
  /** The wallet, or `all wallets` for a figure of the whole contract. */
  readonly subject: Address | "all wallets";
  readonly figure: string;
  readonly stored: bigint;
  readonly onChain: bigint;
  /** The block to read the chain again from. */
  readonly fromBlock: number;
}

/** Wallets of one round: few, since games run on the same thread. */
const ROUND_WALLETS = 50;
const ROUND_EVERY_MS = 120_000;
/** The time until the next round while a difference is known, so that its correction is noticed soon. */
const RECHECK_EVERY_MS = 5_000;
/** The first round comes soon after the start: the program may have been upgraded. */
const FIRST_ROUND_MS = 5_000;

const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/**
 * Compares the figures of the stored events with the contracts', a few wallets per round, in turn. Detects events that
 * a lying node or an older version left out.
 */
export class ChainAudit {
  readonly #ports: ChainAuditPorts;
  /** By subject. */
  #differences = new Map<string, readonly Difference[]>();
  #lastWallet: Address | null = null;
  readonly #job: RepeatedJob;

  constructor(ports: ChainAuditPorts) {
    this.#ports = ports;
    this.#job = new RepeatedJob(ports.clock, () =>
      this.run()
        .catch((error: unknown) =>
          ports.log.debug({ err: error }, "the stored events could not be compared with the chain"),
        )
        .then(() => (this.differences > 0 ? RECHECK_EVERY_MS : ROUND_EVERY_MS)),
    );
  }

  start(): void {
    this.#job.start(FIRST_ROUND_MS);
  }

  /** Resolves when the current round has ended. */
  stop(): Promise<void> {
    return this.#job.stop();
  }

  /** The number of figures found to differ. */
  get differences(): number {
    return this.#list().length;
  }

  /** The first difference and what to do about it; null if there is none. */
  findProblem(): string | null {
    const [first, ...others] = this.#list();
    if (first === undefined) return null;
    const { subject, figure, stored, onChain } = first;
    const fromBlock = Math.min(first.fromBlock, ...others.map((other) => other.fromBlock));
    const more = others.length === 0 ? "" : `, and ${others.length} more`;
    return `the stored events give ${figure} ${stored} of ${subject}, the contracts ${onChain}${more}; read the chain again: npm run admin -- chain resync --from ${fromBlock}`;
  }

  /** Compares the wallets with a known difference, and the next ones. Throws `CHAIN_UNAVAILABLE`. */
  async run(): Promise<void> {
    const block = await this.#findBlock();
    if (block === null) return;
    const { chain, store } = this.#ports;
    const wallets = await this.#selectWallets();
    const onChain = await chain.readFigures(wallets, block);
    const stored: WalletFigures[] = [];
    // One transaction for each wallet, so that ticks and requests come between them.
    for (const wallet of wallets) stored.push(await store.chainAudit.sumWallet(wallet, block));
    const totals = await this.#compareTotals(onChain);
    if (!(await this.#isStored(onChain))) return;
    this.#replace("all wallets", totals);
    for (const [index, figures] of stored.entries())
      this.#replace(figures.wallet, await this.#compareWallet(figures, onChain.wallets[index]!));
  }

  #list(): readonly Difference[] {
    return [...this.#differences.values()].flat();
  }

  /** The last block that is safe and indexed; null if there is none. */
  async #findBlock(): Promise<number | null> {
    const { index, store, chain } = this.#ports;
    const cursor = await store.chain.getCursor();
    if (cursor === null || index.getHead() === null) return null;
    const block = Math.min(cursor.number, index.getFinality().safe);
    return block < chain.deployment.startBlock ? null : block;
  }

  /** Whether the store still holds the same chain up to this block. Called after its figures were read. */
  async #isStored({ block, hash }: ContractFigures): Promise<boolean> {
    const { chain } = this.#ports.store;
    const stored = await chain.findBlock(block);
    const cursor = await chain.getCursor();
    // Far behind the head only blocks with events are stored.
    return cursor !== null && cursor.number >= block && (stored === null || stored.hash === hash);
  }

  async #selectWallets(): Promise<readonly Address[]> {
    const { chainAudit } = this.#ports.store;
    const known = [...this.#differences.keys()].filter((key): key is Address => key !== "all wallets");
    const recheck = known.slice(0, ROUND_WALLETS / 2);
    const limit = ROUND_WALLETS - recheck.length;
    const next = await chainAudit.listWallets(this.#lastWallet, limit);
    this.#lastWallet = next.length < limit ? null : next.at(-1)!;
    return [...new Set([...recheck, ...next])];
  }

  async #compareWallet(stored: WalletFigures, onChain: WalletFigures): Promise<readonly Difference[]> {
    const { chain, store } = this.#ports;
    const { startBlock } = chain.deployment;
    const names = (Object.keys(stored) as (keyof WalletFigures)[]).filter((name) => name !== "wallet");
    const different = names.filter((name) => stored[name] !== onChain[name]);
    if (different.length === 0) return [];
    const isIdentity = different.includes("primaryIdentity");
    const fromBlock = isIdentity ? startBlock : ((await store.chainAudit.findGap(stored.wallet)) ?? startBlock);
    return different.map((figure) => ({
      subject: stored.wallet,
      figure,
      stored: BigInt(stored[figure]),
      onChain: BigInt(onChain[figure]),
      fromBlock,
    }));
  }

  async #compareTotals({ block, timestamp, totals }: ContractFigures): Promise<readonly Difference[]> {
    const { chainAudit } = this.#ports.store;
    const { identities, dailyCap, weeklyCap, dailyRemaining, weeklyRemaining } = totals;
    const today = await chainAudit.sumPaid(block, startOfDay(timestamp));
    const thisWeek = await chainAudit.sumPaid(block, startOfWeek(timestamp));
    // A cap may be below what was paid: then the contract shows only the cap.
    const figures = [
      { figure: "identities", stored: await chainAudit.countIdentities(block), onChain: identities },
      { figure: "paidToday", stored: min(today, dailyCap), onChain: dailyCap - dailyRemaining },
      { figure: "paidThisWeek", stored: min(thisWeek, weeklyCap), onChain: weeklyCap - weeklyRemaining },
    ];
    const fromBlock = this.#ports.chain.deployment.startBlock;
    return figures
      .filter(({ stored, onChain }) => stored !== onChain)
      .map((figure) => ({ subject: "all wallets", fromBlock, ...figure }));
  }

  #replace(subject: string, found: readonly Difference[]): void {
    const known = this.#differences.get(subject) ?? [];
    for (const difference of found) {
      if (known.some(({ figure }) => figure === difference.figure)) continue;
      const { figure, stored, onChain, fromBlock } = difference;
      const fields = { subject, figure, stored: stored.toString(), onChain: onChain.toString(), fromBlock };
      this.#ports.log.error(fields, "the stored events do not give the contracts' figure; chain resync is needed");
    }
    if (found.length > 0) this.#differences.set(subject, found);
    else this.#differences.delete(subject);
  }
}
