/** Finds leaks at the end of a run: sessions, tokens, seats and timers that nothing needs. */
import type { SimulatedBackend } from "./backend.ts";
import { mark } from "./coverage.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

const INVARIANT = "nothing is left at the end";
/** A backend stops within this time. */
const CLOSE_MS = 30_000;
/** A backend that watches transactions polls within this time. */
const POLLED_MS = 2_500;
/** Chain reads that no request waits for end within their deadline, even after the stop. */
const LAST_READS_MS = 10_000;

/** Each must find no row. */
const LEFT_ROWS: { readonly [what: string]: string } = {
  "a session that never ended": "select session_id as id from sessions where ended_at_ms is null",
  "two play tokens that work":
    "select session_id as id from channel_tokens where kind = 'play' and used_at_ms is null and revoked_at_ms is null group by session_id having count(*) > 1",
  "a transaction without an end": "select id from transactions where status in ('queued', 'sent')",
  "a payout that two transactions pay":
    "select transaction_id as id from payouts where transaction_id is not null group by transaction_id having count(*) > 1",
};

function findLeftRow({ disk }: World): string | null {
  for (const [what, sql] of Object.entries(LEFT_ROWS)) {
    const row = disk.database.prepare(sql).get() as { readonly id: string } | undefined;
    if (row !== undefined) return `${what}: ${row.id}`;
  }
  return null;
}

/** Call it when every agent is paid: stops the serving backends, and checks for leaks. */
export async function checkLeaks(world: World): Promise<void> {
  const { loop, backends } = world;
  mark("check", INVARIANT);
  const row = findLeftRow(world);
  if (row !== null) world.fail(new Violation(INVARIANT, row));
  const served = backends.stopServing();
  // Like a server before it closes the store.
  await loop.runUntil(() => world.openRequests === 0, loop.nowMs + CLOSE_MS);
  for (const backend of served) await checkStop(world, backend);
}

async function checkStop(world: World, backend: SimulatedBackend): Promise<void> {
  const { loop, backends } = world;
  const { process, parts } = backend;
  const seat = [...parts.live.registry.all()].find(({ phase }) => phase !== "ended");
  if (seat !== undefined) world.fail(new Violation(INVARIANT, `a seat of ${process.name}`));
  let isClosed = false;
  mark("check", "a backend stops");
  // Half of the stops are during a poll.
  const { summaries } = world.disk;
  if (world.seed % 2 === 1) await loop.runUntil(() => world.disk.summaries > summaries, loop.nowMs + POLLED_MS);
  backends.leases.onReleasing(process);
  backend.close().then(
    () => {
      isClosed = true;
    },
    (error: Error) => world.fail(new Violation("a backend stops", `${process.name}: ${error.message}`)),
  );
  // A backend that has lost its lease ends by itself.
  const isOver = (): boolean => isClosed || !process.isAlive || world.violation !== null;
  if (!(await loop.runUntil(isOver, loop.nowMs + CLOSE_MS)))
    world.fail(new Violation("a backend stops", `${process.name} has not stopped`));
  if (isClosed) backends.leases.checkReleased(process);
  const { connections, channels, pending } = backend.sockets;
  if (process.isAlive && connections + channels + pending > 0)
    world.fail(new Violation(INVARIANT, `${connections} sockets of ${process.name}`));
  const hasNoTimer = (): boolean => !process.isAlive || loop.countTimers(process) === 0;
  if (!(await loop.runUntil(hasNoTimer, loop.nowMs + LAST_READS_MS)))
    world.fail(new Violation(INVARIANT, `${loop.countTimers(process)} timers of ${process.name}`));
}
