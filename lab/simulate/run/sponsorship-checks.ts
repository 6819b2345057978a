/** Checks what the operator pays for other wallets: each call once, and within the daily limits. */
import type { Address, Hex } from "viem";
import type { Chain } from "../chain/chain.ts";
import type { Disk } from "../world/disk.ts";
import type { Behavior } from "./behavior.ts";
import { mark } from "./coverage.ts";
import type { Fixtures } from "./fixtures.ts";
import { Violation } from "./trace.ts";

/** The parts of a simulated world that the checks read. */
interface SponsoredWorld {
  readonly chain: Chain;
  readonly disk: Disk;
  readonly behavior: Behavior;
  readonly fixtures: Fixtures;
  fail(violation: Violation): void;
}

/** Finds two relays of one call, neither failed: the earlier one, and a later one that replaced it. */
const ASKED_TWICE = `select later.relay_id as laterId, earlier.wallet || ' ' || earlier.kind as what, t.nonce, t.data
  from relays earlier join transactions t on t.id = earlier.transaction_id and t.status <> 'failed'
  join relays later on later.wallet = earlier.wallet and later.kind = earlier.kind and later.key = earlier.key
    and later.rowid > earlier.rowid
  join transactions u on u.id = later.transaction_id and u.status <> 'failed'`;
const DAY_EXCEEDED = `select 'day ' || day || ': ' || sum(gas) as what from relays group by day having sum(gas) > ?`;

interface AskedTwice {
  readonly laterId: string;
  readonly what: string;
  readonly nonce: number;
  readonly data: Hex;
}

export class Sponsorship {
  readonly #world: SponsoredWorld;
  /** How many blocks had been dropped before each open request, by wallet. */
  readonly #requests = new Map<Address, Set<{ readonly dropped: number }>>();
  /** How many blocks had been dropped before the request for a relay. */
  readonly #droppedBefore = new Map<string, number>();

  constructor(world: SponsoredWorld) {
    this.#world = world;
  }

  /** Call it before a wallet requests a relay, and the returned function when it is answered. */
  begin(wallet: Address): () => void {
    const requests = this.#requests.get(wallet) ?? new Set();
    const request = { dropped: this.#world.chain.dropped.length };
    this.#requests.set(wallet, requests.add(request));
    return () => {
      this.#noteRelays();
      requests.delete(request);
    };
  }

  /** Checks that can be made at any time. */
  check(): void {
    const { disk, fixtures } = this.#world;
    this.#noteRelays();
    if (this.#droppedBefore.size > 0) mark("check", "a sponsored call is charged once");
    if (this.#droppedBefore.size > 0) mark("check", "the gas of a day has a limit");
    const pairs = disk.database.prepare(ASKED_TWICE).all() as readonly AskedTwice[];
    const twice = pairs.find((pair) => !this.#hadFailed(pair));
    if (twice !== undefined) this.#world.fail(new Violation("a sponsored call is charged once", twice.what));
    const exceeded = disk.database.prepare(DAY_EXCEEDED).get(fixtures.config.sponsorGasPerDay) as
      | { readonly what: string }
      | undefined;
    if (exceeded !== undefined) this.#world.fail(new Violation("the gas of a day has a limit", exceeded.what));
  }

  #noteRelays(): void {
    const rows = this.#world.disk.database.prepare("select relay_id, wallet from relays").all();
    for (const { relay_id, wallet } of rows as readonly { relay_id: string; wallet: Address }[]) {
      if (this.#droppedBefore.has(relay_id)) continue;
      const requests = [...(this.#requests.get(wallet) ?? [])];
      // Infinite if no request is open. Then only the current blocks count.
      this.#droppedBefore.set(relay_id, Math.min(...requests.map(({ dropped }) => dropped)));
    }
  }

  /** Whether the earlier relay had failed on chain since the later one was requested. Reorganizations undo that. */
  #hadFailed({ laterId, nonce, data }: AskedTwice): boolean {
    const uses = this.#world.chain.listUses(nonce, this.#droppedBefore.get(laterId)!);
    return uses.some((used) => used.data !== data || used.revert !== null);
  }
}

/** Null if each call that the operator has put on chain for another wallet is charged to a relay. */
export function findUnchargedCall({ disk, chain, behavior }: SponsoredWorld): string | null {
  if (!behavior.areSponsored) return null;
  const sql = "select t.tx_hash from transactions t join relays r on r.transaction_id = t.id";
  const rows = disk.database.prepare(sql).all() as readonly { readonly tx_hash: string }[];
  const charged = new Set(rows.map(({ tx_hash }) => tx_hash));
  const { operator } = chain.contracts.config;
  for (const { transactions } of chain.blocks)
    for (const { hash, from, data, revert, events } of transactions) {
      const isOfOthers = from === operator && data !== "0x" && !events.some(({ name }) => name === "Payout");
      if (isOfOthers && revert === null && !charged.has(hash)) return `${hash} is charged to no relay`;
    }
  return null;
}
