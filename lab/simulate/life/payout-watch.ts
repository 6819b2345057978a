/** What the service answers a wallet about its payouts while one of them is open. */
import type { Address, Hex } from "viem";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

const INVARIANT = "an open payout goes on";

interface Row {
  readonly payout_id: string;
  readonly status: string;
  readonly tx_hash: Hex | null;
  readonly reopened_at_ms: number | null;
}

/** Whether the operator has ordered that a payout is cancelled, and it was. */
const CANCELLED = `select 1 from payouts p join transactions t on t.id = p.transaction_id
  where p.payout_id = ? and p.status = 'failed' and t.cancelled_raw is not null`;

const isOpen = ({ status }: Row): boolean => status === "pending" || status === "sent";

/** To be called when a wallet asks for a payout; the returned functions when it is answered. */
export function watchPayout(world: World, wallet: Address) {
  const { disk, chain } = world;
  const sql =
    "select payout_id, status, tx_hash, reopened_at_ms from payouts where wallet = ? and settled_at_ms is null";
  const list = (): readonly Row[] => disk.database.prepare(sql).all(wallet) as readonly Row[];
  const isUndone = ({ tx_hash }: Row): boolean => tx_hash !== null && chain.find(tx_hash) === null;
  const before = list();
  const isCancelled = ({ payout_id }: Row): boolean => disk.database.prepare(CANCELLED).get(payout_id) !== undefined;
  // One that has failed may go on after a reorganization as well; the wallet was told that it had failed.
  const undone = before.filter((row) => row.status !== "failed" && isUndone(row));
  return {
    onAnswer(payoutId: string): void {
      if (before.some(({ payout_id }) => payout_id === payoutId)) return;
      const forgotten = undone.find((row) => isUndone(row) && !isCancelled(row));
      if (forgotten !== undefined)
        world.fail(new Violation(INVARIANT, `${payoutId} is new, and ${forgotten.payout_id} in no block`));
    },
    onNotReady(): void {
      const isSame = (one: Row, other: Row): boolean =>
        one.payout_id === other.payout_id && one.reopened_at_ms === other.reopened_at_ms;
      const opened = before.filter(isOpen);
      const forgotten = list().find((row) => isOpen(row) && opened.some((known) => isSame(known, row)));
      if (forgotten !== undefined)
        world.fail(new Violation(INVARIANT, `${forgotten.payout_id}: the answer is that the wallet cannot be paid`));
    },
  };
}
