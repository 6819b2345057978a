/** The process itself: draining, and the doctor. */
import { ArcadeError } from "../../../../domain/errors.ts";
import type { ConsoleOperator } from "../operator.ts";

/**
 * Starts or ends draining: `/readyz` returns 503 and new work is rejected, while running games continue. Audit:
 * `service.drain`, `service.resume`.
 */
export async function setDraining(
  { draining, store, createStamp }: ConsoleOperator,
  { draining: isDraining, reason }: { readonly draining: boolean; readonly reason: string },
) {
  const before = draining.get();
  if (before !== isDraining) {
    await store.operator.addAuditRow({
      ...createStamp(),
      action: isDraining ? "service.drain" : "service.resume",
      subject: "service",
      before: JSON.stringify({ draining: before }),
      after: JSON.stringify({ draining: isDraining, reason }),
    });
    draining.set(isDraining);
  }
  return { draining: isDraining };
}

/** The checks of `npm run doctor`. Throws `NOT_FOUND` if this process has none. */
export async function examine({ runDoctor }: ConsoleOperator) {
  if (runDoctor === null) throw new ArcadeError("NOT_FOUND", "This process has no doctor; run npm run doctor.");
  return { findings: [...(await runDoctor())] };
}
