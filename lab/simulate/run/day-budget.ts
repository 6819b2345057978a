/** Runs whose operator signs few calls a UTC day. */
import { DAY_MS } from "../../../domain/time.ts";
import { mark } from "./coverage.ts";
import { findCallsPerDay } from "./later-faults.ts";
import type { World } from "./world.ts";

/** When all faults are over, a day passes in this time, so often. */
const DAY_PASSES_MS = 10_000;
const DAYS = 8;

/** The calls that other processes had signed before the run do not count. */
const SIGNED = `select count(*) as count from transactions where "from" = ? and id not like 'left %'
  group by created_at_ms / ${DAY_MS} order by count desc limit 1`;
const SIGNED_TODAY = `select count(*) as count from transactions where "from" = ? and created_at_ms >= ?`;

/** Whether the operator can sign no more calls today. */
export function isBudgetSpent({ plan, disk, chain, leastWallMs }: World): boolean {
  const callsPerDay = findCallsPerDay(plan);
  if (callsPerDay === null) return false;
  const { operator } = chain.contracts.config;
  const today = leastWallMs - (leastWallMs % DAY_MS);
  const { count } = disk.database.prepare(SIGNED_TODAY).get(operator, today) as { readonly count: number };
  if (count >= callsPerDay) mark("fault", "calls per day");
  return count >= callsPerDay;
}

/** Null if the operator has signed no more calls a day than its policy allows. */
export function findExceededDay({ plan, disk, chain }: World): string | null {
  const callsPerDay = findCallsPerDay(plan);
  const row = disk.database.prepare(SIGNED).get(chain.contracts.config.operator) as
    | { readonly count: number }
    | undefined;
  return callsPerDay === null || row === undefined || row.count <= callsPerDay ? null : `${row.count} in a day`;
}

const UNSENT = "select 1 from payouts where status = 'pending'";

/** Lets days pass until nothing waits, so that what the operator may not sign today is signed on another day. */
export function passDays(world: World, fromMs: number, waits: () => boolean): void {
  const { plan, loop, backends, disk } = world;
  if (findCallsPerDay(plan) === null) return;
  const pass = (): void => {
    const isAwaited = waits() || disk.database.prepare(UNSENT).get() !== undefined;
    if (isAwaited && isBudgetSpent(world)) backends.stepClock(DAY_MS);
  };
  for (let day = 1; day <= DAYS; day++) loop.schedule(fromMs - loop.nowMs + day * DAY_PASSES_MS, pass);
}
