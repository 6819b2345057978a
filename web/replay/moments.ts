/** Highlights of a run: lost lives and reached tiers. */

import { formatTierReached } from "../labels/runs.ts";
import { toEventLogLine } from "../labels/session.ts";
import type { Recording } from "./recording.ts";

export interface Moment {
  readonly tick: number;
  readonly kind: "life" | "tier";
  readonly text: string;
}

/** In chronological order. */
export function findMoments({ game, events, scores }: Recording): readonly Moment[] {
  const lives = events
    .filter(({ event }) => event === "life_lost")
    .map((event) => ({ tick: event.tick, kind: "life" as const, text: toEventLogLine(event)?.text ?? event.event }));
  const tiers = game.nft.tiers.flatMap(({ name, minScore }) => {
    const tick = scores.findIndex((score) => score >= minScore);
    return tick < 0 ? [] : [{ tick, kind: "tier" as const, text: formatTierReached(name) }];
  });
  return [...lives, ...tiers].sort((one, other) => one.tick - other.tick);
}
