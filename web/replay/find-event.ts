/** Reads the chain without the service. A separate script: it is as large as the rest of the site. */
import { createPublicClient, http } from "viem";
import { findSnapshotEvent, type SnapshotEvent, type SnapshotEventQuery } from "../../client/snapshot-event.ts";

/** Throws `ArcadeChainError`. */
export const findEvent = (rpcUrl: string, query: SnapshotEventQuery): Promise<SnapshotEvent | null> =>
  findSnapshotEvent(createPublicClient({ transport: http(rpcUrl) }), query);
