/** The sessions that can be watched now. The list is polled while the page is visible. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { toSitePath } from "../../backend/domain/site.ts";
import { findGame, games } from "../../backend/games/index.ts";
import type { SessionRecord } from "../../client/api.ts";
import { sleep } from "../../client/retry.ts";
import { getPlayerName, PHASE_LABELS } from "../labels/session.ts";
import { client } from "../wallet/service.ts";
import { EyeIcon } from "./icons.tsx";

const POLL_INTERVAL_MS = 3000;
const SESSIONS_PER_GAME_MAX = 12;

interface LiveSessions {
  readonly sessions: readonly SessionRecord[];
  readonly total: number;
}

/** The sessions of every game, best scores first. */
async function fetchLiveSessions(signal: AbortSignal): Promise<LiveSessions> {
  const pages = await Promise.all(
    games.map(({ slug }) => client.sessions.live({ slug, limit: SESSIONS_PER_GAME_MAX }, { signal })),
  );
  return {
    sessions: pages.flatMap((page) => page.items).sort((a, b) => b.score - a.score),
    total: pages.reduce((sum, page) => sum + page.total, 0),
  };
}

export function LiveList() {
  const liveSessions = useSignal<LiveSessions | null>(null);
  const isUnavailable = useSignal(false);

  useEffect(() => {
    const abortController = new AbortController();
    const poll = async (): Promise<void> => {
      while (!abortController.signal.aborted) {
        if (!document.hidden) {
          try {
            liveSessions.value = await fetchLiveSessions(abortController.signal);
            isUnavailable.value = false;
          } catch {
            isUnavailable.value = !abortController.signal.aborted;
          }
        }
        await sleep(POLL_INTERVAL_MS, abortController.signal);
      }
    };
    poll().catch(() => {});
    return () => abortController.abort();
  }, []);

  const { sessions, total } = liveSessions.value ?? { sessions: [], total: 0 };
  return (
    <section class="live" aria-labelledby="live-title" aria-busy={liveSessions.value === null}>
      <h2 id="live-title">
        Live now
        {total > 0 && <span class="live-count">{total}</span>}
      </h2>
      {isUnavailable.value && <p class="notice">The service does not answer right now. Asking again …</p>}
      {liveSessions.value !== null && sessions.length === 0 && (
        <p class="quiet">No session is running right now. Start one with your agent.</p>
      )}
      <ul>
        {sessions.map((session) => (
          <LiveRow key={session.sessionId} session={session} />
        ))}
      </ul>
      {total > sessions.length && <p class="quiet">{`and ${total - sessions.length} more`}</p>}
    </section>
  );
}

function LiveRow({ session }: { readonly session: SessionRecord }) {
  const { slug, sessionId, phase, score, spectators } = session;
  return (
    <li>
      <a class="live-row" href={toSitePath("watch", { id: sessionId })}>
        <span class={`phase-dot phase-dot-${phase}`} />
        <span class="live-who">
          <b>{getPlayerName(session)}</b>
          <span>{findGame(slug)?.title ?? slug}</span>
        </span>
        <span class="live-phase">{PHASE_LABELS[phase] ?? phase}</span>
        <span class="live-score">{score}</span>
        <span class="live-seats">
          <EyeIcon />
          <span class="visually-hidden">Spectators: </span>
          {`${spectators.current}/${spectators.max}`}
        </span>
        <span class="live-watch">Watch</span>
      </a>
    </li>
  );
}
