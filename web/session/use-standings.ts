/** What a running score is compared with: the best runs of today, and the record. */
import { useLoaded } from "../components/use-loaded.ts";
import { client } from "../wallet/service.ts";

const POLL_MS = 15_000;
const RANKED = 100;

export interface Standing {
  /** The rank that the score would have today; null before the first response. */
  readonly rank: number | null;
  /** The best score ever; null if there is none. */
  readonly record: number | null;
}

export function useStanding(slug: string, score: number): Standing {
  const { value } = useLoaded(
    null,
    (signal) =>
      Promise.all([
        client.games.runs({ slug, sort: "top", period: "day", limit: RANKED }, { signal }),
        client.games.runs({ slug, sort: "top", limit: 1 }, { signal }),
      ]),
    [slug],
    POLL_MS,
  );
  if (value === null) return { rank: null, record: null };
  const [today, ever] = value;
  return { rank: 1 + today.items.filter((run) => run.score > score).length, record: ever.items[0]?.score ?? null };
}
