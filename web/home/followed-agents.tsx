/** The agents that this browser follows: who plays now, and the last run of each. */
import { useEffect } from "preact/hooks";
import type { SessionRecord } from "../../client/api.ts";
import { toSitePath } from "../../domain/site.ts";
import { findGame, games } from "../../games/index.ts";
import { PlayerLink } from "../components/player-link.tsx";
import { type ListedRun, RunsTable } from "../components/runs-table.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { followed, readFollowed } from "../follow/followed.ts";
import { HOME_LABELS } from "../labels/home.ts";
import { client } from "../wallet/service.ts";
import { listLatest } from "./load-stage.ts";

const POLL_MS = 60_000;
/** The largest page of a list. */
const LIVE_MAX = 100;

/** The last run of an agent in any game. */
async function loadLastRun(agentId: string, signal: AbortSignal): Promise<readonly ListedRun[]> {
  const pages = games.map(({ slug }) => client.games.runs({ slug, agentId, sort: "recent", limit: 1 }, { signal }));
  return listLatest(await Promise.all(pages), 1);
}

async function loadPlaying(ids: readonly string[], signal: AbortSignal): Promise<readonly SessionRecord[]> {
  const pages = games.map(({ slug }) => client.sessions.live({ slug, limit: LIVE_MAX }, { signal }));
  const sessions = (await Promise.all(pages)).flatMap(({ items }) => items);
  return sessions.filter(({ agentId }) => agentId !== null && ids.includes(agentId));
}

/** Everything that could be read: one failed request does not hide the others. */
async function loadFollowed(ids: readonly string[], signal: AbortSignal) {
  if (ids.length === 0) return { playing: [], runs: [] };
  const [playing, ...runs] = await Promise.allSettled([
    loadPlaying(ids, signal),
    ...ids.map((id) => loadLastRun(id, signal)),
  ]);
  return {
    playing: playing.status === "fulfilled" ? playing.value : [],
    runs: runs.flatMap((result) => (result.status === "fulfilled" ? result.value : [])),
  };
}

export function FollowedAgents() {
  useEffect(readFollowed, []);
  const ids = followed.value;
  const { value } = useLoaded(null, (signal) => loadFollowed(ids, signal), [ids.join()], POLL_MS);
  if (ids.length === 0) return null;
  const { playing, runs } = value ?? { playing: [], runs: [] };
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
      {runs.length > 0 && <RunsTable runs={runs} isShort />}
    </section>
  );
}
