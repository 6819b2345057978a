/** The agents that this browser follows: who plays now, and the last run of each. */
import { useEffect } from "preact/hooks";
import { toSitePath } from "../../domain/site.ts";
import { findGame, games } from "../../games/index.ts";
import { PlayerLink } from "../components/player-link.tsx";
import { type ListedRun, RunsTable } from "../components/runs-table.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { followed, readFollowed } from "../follow/followed.ts";
import { HOME_LABELS } from "../labels/home.ts";
import { client } from "../wallet/service.ts";
import type { LiveSessions } from "./load-stage.ts";

const POLL_MS = 60_000;

/** The last run of an agent in any game. */
async function loadLastRun(agentId: string, signal: AbortSignal): Promise<readonly ListedRun[]> {
  const pages = await Promise.all(
    games.map(({ slug }) => client.games.runs({ slug, agentId, sort: "recent", limit: 1 }, { signal })),
  );
  const runs = pages.flatMap(({ items }, index) => items.map((run) => ({ ...run, slug: games[index]!.slug })));
  return runs.sort((one, other) => Date.parse(other.endedAt) - Date.parse(one.endedAt)).slice(0, 1);
}

export function FollowedAgents({ live }: { readonly live: LiveSessions | null }) {
  useEffect(readFollowed, []);
  const ids = followed.value;
  const { value: runs } = useLoaded(
    null,
    async (signal) => (await Promise.all(ids.map((id) => loadLastRun(id, signal)))).flat(),
    [ids.join()],
    POLL_MS,
  );
  if (ids.length === 0) return null;
  const playing = live?.sessions.filter(({ agentId }) => agentId !== null && ids.includes(agentId)) ?? [];
  return (
    <section class="followed" aria-labelledby="followed-title">
      <h2 id="followed-title">{HOME_LABELS.followed}</h2>
      <ul class="ranks">
        {playing.map((session) => (
          <li key={session.sessionId}>
            <span class="live-dot" aria-hidden="true" />
            <PlayerLink player={session} />
            <a href={toSitePath("watch", { id: session.sessionId })}>
              {`${HOME_LABELS.playsNow} ${findGame(session.slug)?.title ?? session.slug}`}
            </a>
          </li>
        ))}
      </ul>
      {runs !== null && runs.length > 0 && <RunsTable runs={runs} isShort />}
    </section>
  );
}
