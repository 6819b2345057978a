import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { ArcadeError } from "../../../domain/errors.ts";
import type { Log, PictureDrawer } from "../../ports/system.ts";

/** A drawing takes about a tenth of a second: with more waiting, the last one would take too long. */
const WAITING_MAX = 16;
const IDLE_MS = 60_000;
/** Includes waiting for the drawings before. A thread that cannot start would never respond. */
const DEADLINE_MS = 10_000;

/** Draws in one thread, started for the first picture, so that neither ticks nor signatures wait. */
export function openPictureThread(gamesUrl: string, log: Log, deadlineMs = DEADLINE_MS): PictureDrawer {
  const pool = new Piscina({
    filename: fileURLToPath(new URL("./thread.ts", import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: IDLE_MS,
  });
  pool.on("error", (cause: unknown) => log.error({ err: cause }, "the picture thread failed"));
  return {
    async draw(task) {
      try {
        if (pool.queueSize >= WAITING_MAX) throw new Error(`${WAITING_MAX} pictures are already waiting`);
        return (await pool.run({ task, gamesUrl }, { signal: AbortSignal.timeout(deadlineMs) })) as Uint8Array;
      } catch (cause) {
        log.warn({ err: cause, slug: task.slug }, "a picture could not be drawn");
        throw new ArcadeError("PICTURE_UNAVAILABLE", "The picture cannot be drawn now; try again in a few seconds.");
      }
    },
    close: () => pool.destroy(),
  };
}
