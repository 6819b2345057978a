/** What the operator pays for other wallets: each call once, and no more in a day than the settings allow. */
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

/** Rows that say that one call was paid for twice. */
const PAID_TWICE = `select r.wallet || ' ' || r.kind as what from relays r join transactions t on t.id = r.transaction_id
  where t.status <> 'failed' group by r.wallet, r.kind, r.key having count(*) > 1`;
const DAY_EXCEEDED = `select 'day ' || day || ': ' || sum(gas) as what from relays group by day having sum(gas) > ?`;

interface Row {
  readonly what: string;
}

/** Holds at any time. */
export function checkSponsorship(world: World): void {
  const { disk, scenery } = world;
  const find = (sql: string, ...parameters: readonly number[]): Row | undefined =>
    disk.database.prepare(sql).get(...parameters) as Row | undefined;
  const twice = find(PAID_TWICE);
  if (twice !== undefined) world.fail(new Violation("a sponsored call is charged once", twice.what));
  const exceeded = find(DAY_EXCEEDED, scenery.config.sponsorGasPerDay);
  if (exceeded !== undefined) world.fail(new Violation("the gas of a day has a limit", exceeded.what));
}

/** Null where each call of another wallet that the operator has brought to the chain is charged to a relay. */
export function findUnchargedCall({ disk, chain, habits }: World): string | null {
  if (!habits.areSponsored) return null;
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
