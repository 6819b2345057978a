import type { LivePlane, LocalPlane } from "../../ports/live-channels.ts";
import type { NatsPlaneOptions } from "./nats-plane.ts";
import type { PlaneStarts } from "./session-starts.ts";

/** How requests and sockets of this process reach running sessions. */
export interface OpenedPlane {
  readonly plane: LivePlane;
  /**
   * Why sessions of other nodes cannot be reached, null while they can. The function is null if there are no others.
   */
  readonly findProblem: (() => string | null) | null;
  /** Sessions that one node starts for another; null if there are no others. */
  readonly starts: PlaneStarts | null;
  /** Call this when no more sessions run here. */
  close(): Promise<void>;
}

/** `natsUrl`: the servers, comma-separated; null: only this process runs sessions. Rejects if no server responds. */
export async function openLivePlane(
  options: Omit<NatsPlaneOptions, "bus"> & { readonly local: LocalPlane; readonly natsUrl: string | null },
): Promise<OpenedPlane> {
  const { natsUrl, local, clock, log } = options;
  if (natsUrl === null) return { plane: local, findProblem: null, starts: null, close: async () => undefined };
  // Loaded only if used.
  const [{ Bus }, { NatsPlane }] = await Promise.all([import("./bus.ts"), import("./nats-plane.ts")]);
  const plane = new NatsPlane({ ...options, bus: await Bus.connect(natsUrl.split(","), { clock, log }) });
  return { plane, findProblem: () => plane.findProblem(), starts: plane.starts, close: () => plane.close() };
}
