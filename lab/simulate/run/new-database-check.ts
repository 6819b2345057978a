/** Checks, after a run, that backends can start on an empty database, and that only nodes of a fleet share one. */
import { openConnection } from "../../../backend/adapters/store/connection.ts";
import { takeLease } from "../../../backend/adapters/store/lease/lease.ts";
import { DatabaseInUseError, registerNode } from "../../../backend/adapters/store/nodes/node-lease.ts";
import { createSqliteDialect, openSqliteFile } from "../../../backend/adapters/store/sqlite.ts";
import { finishRealTurn } from "../world/event-loop.ts";
import { mark } from "./coverage.ts";
import { Violation } from "./trace.ts";
import type { World } from "./world.ts";

const INVARIANT = "a backend without messages has its database alone";
/** Real turns that a step of a store takes at most. */
const TURNS = 20;
/** The second backend sees a renewal, which comes after one second, within this time. */
const REFUSED_MS = 2_000;

/** Call it after the run, when no stand-in is left. */
export async function checkNewDatabase(world: World): Promise<void> {
  mark("check", INVARIANT);
  const timers: { readonly atMs: number; readonly run: () => void }[] = [];
  let nowMs = 0;
  const after = (delayMs: number, run: () => void): (() => void) => {
    timers.push({ atMs: nowMs + delayMs, run });
    return () => undefined;
  };
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, after };
  const ignore = (): void => undefined;
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const database = openSqliteFile("sqlite::memory:");
  database.function("unixepoch", { varargs: true }, () => nowMs / 1000);
  const connection = openConnection(createSqliteDialect(database), { busyWaitMs: 0 });
  const register = (isExclusive: boolean) => registerNode(connection, { clock, log, url: null, isExclusive });
  let ended: unknown = null;
  const starts = async (): Promise<void> => {
    await takeLease(connection, { clock, log });
    await register(true);
    await register(false);
  };
  starts().then(
    () => {
      ended = "both have started";
    },
    (error: unknown) => {
      ended = error;
    },
  );
  while (ended === null && nowMs < REFUSED_MS) {
    for (let turn = 0; turn < TURNS; turn++) await finishRealTurn();
    const next = timers.sort((a, b) => a.atMs - b.atMs).shift();
    if (next === undefined || ended !== null) break;
    nowMs = next.atMs;
    next.run();
  }
  database.close();
  if (!(ended instanceof DatabaseInUseError)) world.fail(new Violation(INVARIANT, String(ended)));
}
