/** Checks what the service answers a wallet about its payouts while one of them is open. */
import type { Address, Hex } from "viem";
import { mark } from "./coverage.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

const INVARIANT = "an open payout continues";

interface Row {
  readonly payout_id: string;
  readonly status: string;
  readonly reopened_at_ms: number | null;
}

interface SentRow {
  readonly nonce: number;
  readonly data: Hex;
  readonly is_given_up: number;
}

/** `is_given_up`: if another transaction uses its nonce, the payout is not signed again. */
const SENT = `select nonce, data, status = 'failed' or cancelled_raw is not null as is_given_up from transactions
  where kind = 'payout' and key = ?`;

const isOpen = ({ status }: Row): boolean => status === "pending" || status === "sent";

/** Call it when a wallet requests a payout, and the returned functions when it is answered. */
export function watchPayout(world: World, wallet: Address) {
  const { disk, chain } = world;
  const sql = "select payout_id, status, reopened_at_ms from payouts where wallet = ? and settled_at_ms is null";
  const list = (): readonly Row[] => disk.database.prepare(sql).all(wallet) as readonly Row[];
  const before = list();
  const droppedBefore = chain.dropped.length;
  /** Whether it was sent, and no block since the request has contained any of its versions. */
  const isForgotten = ({ payout_id }: Row): boolean => {
    const sent = disk.database.prepare(SENT).get(payout_id) as SentRow | undefined;
    if (sent === undefined) return false;
    const uses = chain.listUses(sent.nonce, droppedBefore);
    return !uses.some(({ data }) => data === sent.data || sent.is_given_up === 1);
  };
  return {
    onAnswer(payoutId: string): void {
      mark("check", INVARIANT);
      if (before.some(({ payout_id }) => payout_id === payoutId)) return;
      // A failed one may also continue after a reorganization, but the wallet was told that it had failed.
      const forgotten = before.find((row) => row.status !== "failed" && isForgotten(row));
      if (forgotten !== undefined)
        world.fail(new Violation(INVARIANT, `${payoutId} is new, and ${forgotten.payout_id} in no block`));
    },
    onNotReady(): void {
      mark("check", INVARIANT);
      const isSame = (one: Row, other: Row): boolean =>
        one.payout_id === other.payout_id && one.reopened_at_ms === other.reopened_at_ms;
      const opened = before.filter(isOpen);
      const forgotten = list().find((row) => isOpen(row) && opened.some((known) => isSame(known, row)));
      if (forgotten !== undefined)
        world.fail(new Violation(INVARIANT, `${forgotten.payout_id}: the answer is that the wallet cannot be paid`));
    },
  };
}
