/** Recomputes the score of each event on chain from a replay, and reports the result. */
import type { Hex } from "viem";
import type { SnapshotEvent } from "../../client/snapshot-event.ts";
import { toReason, type Verdict, verifyReplay } from "../../client/verify-replay.ts";
import type { ReplayDifference, RulesLookup } from "../../domain/replay/verify.ts";
import { findAlteredPart } from "./altered-part.ts";
import type { FoundReplay, ReplaySource } from "./replay-sources.ts";

export interface CheckedEvent {
  readonly event: SnapshotEvent;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly differences: readonly ReplayDifference[];
  /** The replay's file or URL; null if there is none. */
  readonly origin: string | null;
}

const toDiverged = (event: SnapshotEvent, origin: string, differences: readonly ReplayDifference[]): CheckedEvent => ({
  event,
  verdict: "DIVERGED",
  origin,
  differences,
  reason: toReason(differences),
});

/** Compares one event with the replay of its hash. */
async function checkEvent(event: SnapshotEvent, found: FoundReplay, getRules?: RulesLookup): Promise<CheckedEvent> {
  const { replay, origin, problems } = found;
  if (replay === null) return toDiverged(event, origin, problems);
  const result = await verifyReplay(replay, { event, ...(getRules === undefined ? {} : { getRules }) });
  const { verdict, reason, differences } = result;
  if (result.gameSessionHash === event.gameSessionHash) return { event, verdict, reason, differences, origin };
  const altered = findAlteredPart(replay, event);
  return toDiverged(event, origin, altered === null ? differences : [altered, ...differences]);
}

/**
 * Checks every event. A replay whose hash is not on chain is compared with the events that have no replay, to find one
 * altered part. `others`: replays that belong to no event.
 */
export async function checkEvents(
  events: readonly SnapshotEvent[],
  source: ReplaySource,
  onChecked: (checked: CheckedEvent) => void = () => undefined,
): Promise<{ readonly checked: readonly CheckedEvent[]; readonly others: readonly FoundReplay[] }> {
  const checked: CheckedEvent[] = [];
  const conclude = (result: CheckedEvent): void => {
    checked.push(result);
    onChecked(result);
  };
  const withoutReplay: SnapshotEvent[] = [];
  const used = new Set<string>();
  for (const event of events) {
    const found = await source.find(event.gameSessionHash);
    if (found === null) withoutReplay.push(event);
    else {
      used.add(found.origin);
      conclude(await checkEvent(event, found));
    }
  }
  const hashes = new Set<Hex>(events.map(({ gameSessionHash }) => gameSessionHash));
  const others = (await source.listOthers(hashes)).filter(({ origin }) => !used.has(origin));
  const damaged = others.filter(({ replay }) => replay === null);
  for (const event of withoutReplay) {
    const altered = findAltered(event, others);
    if (altered !== null) {
      used.add(altered.found.origin);
      conclude(toDiverged(event, altered.found.origin, [altered.part]));
      continue;
    }
    const notes = damaged.map(({ origin, problems }) => `; ${origin} is damaged (${toReason(problems)})`).slice(0, 3);
    const reason = `no replay of this hash in ${source.name}${notes.join("")}`;
    conclude({ event, verdict: "CANNOT_RECOMPUTE", reason, differences: [], origin: null });
  }
  return { checked, others: others.filter(({ origin }) => !used.has(origin)) };
}

function findAltered(event: SnapshotEvent, others: readonly FoundReplay[]) {
  for (const found of others) {
    const part = found.replay === null ? null : findAlteredPart(found.replay, event);
    if (part !== null) return { found, part };
  }
  return null;
}
