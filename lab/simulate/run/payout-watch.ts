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

/** Payouts that were opened and never sent. */
const REJECTED =
  "select count(*) as count from payouts where wallet = ? and status = 'failed' and transaction_id is null";
const REJECTED_ROWS = "select payout_id, wallet from payouts where status = 'failed' and transaction_id is null";
const BLOCKS_BACK = 5;

/** Whether the contract has refused to pay the wallet in the last blocks, and does not pay in the next ones. */
function isRefused({ chain, fixtures }: World, wallet: Address): boolean {
  const blocks = chain.blocks.slice(-BLOCKS_BACK);
  const isReady = (time: number, index: number): boolean =>
    fixtures.contracts.explainPayout(blocks[index]!.state, wallet.toLowerCase(), BigInt(time)).reasons === 0n;
  return !blocks.some(({ time }, index) => isReady(time, index) || isReady(time + 2 * BLOCKS_BACK, index));
}

const isOpen = ({ status }: Row): boolean => status === "pending" || status === "sent";

/** Payouts that failed without a transaction since the last call, although the contract had been ready for some blocks. */
export function listWrongRejections({ disk, chain, fixtures }: World, seen: Set<string>): readonly string[] {
  const rows = disk.database.prepare(REJECTED_ROWS).all() as readonly { payout_id: string; wallet: Address }[];
  const fresh = rows.filter(({ payout_id }) => !seen.has(payout_id));
  for (const { payout_id } of fresh) seen.add(payout_id);
  const wasReady = ({ wallet }: { readonly wallet: Address }): boolean =>
    [...chain.blocks.slice(-BLOCKS_BACK), ...chain.dropped.slice(-2 * BLOCKS_BACK)].every(
      ({ state, time }) => fixtures.contracts.explainPayout(state, wallet.toLowerCase(), BigInt(time)).reasons === 0n,
    );
  return fresh.filter(wasReady).map(({ payout_id }) => payout_id);
}

/** Call it when a wallet requests a payout, and the returned functions when it is answered. */
export function watchPayout(world: World, wallet: Address) {
  const { disk, chain } = world;
  const sql = "select payout_id, status, reopened_at_ms from payouts where wallet = ? and settled_at_ms is null";
  const list = (): readonly Row[] => disk.database.prepare(sql).all(wallet) as readonly Row[];
  const before = list();
  const countRejected = (): number => (disk.database.prepare(REJECTED).get(wallet) as { readonly count: number }).count;
  const rejectedBefore = countRejected();
  const wasRefused = isRefused(world, wallet);
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
      // A payout is opened only if the contract was ready, and rejected if it no longer was.
      const isStillRefused = wasRefused && isRefused(world, wallet) && chain.dropped.length === droppedBefore;
      if (isStillRefused && countRejected() > rejectedBefore)
        world.fail(new Violation("a refused request opens no payout", wallet));
      const isSame = (one: Row, other: Row): boolean =>
        one.payout_id === other.payout_id && one.reopened_at_ms === other.reopened_at_ms;
      const opened = before.filter(isOpen);
      const forgotten = list().find((row) => isOpen(row) && opened.some((known) => isSame(known, row)));
      if (forgotten !== undefined)
        world.fail(new Violation(INVARIANT, `${forgotten.payout_id}: the answer is that the wallet cannot be paid`));
    },
  };
}
