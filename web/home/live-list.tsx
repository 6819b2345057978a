/** Sessions that can be watched now, asked for again and again while somebody looks. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { findGame, games } from "../../backend/games/index.ts";
import { sleep } from "../../client/retry.ts";
import type { SessionRecord } from "../../client/types.ts";
import { client } from "../access/service.ts";
import { EyeIcon } from "../parts/icons.tsx";
import { watchPath } from "../router.ts";
import { PHASE_WORDS, playerName } from "../words.ts";

const EVERY_MS = 3000;
const SHOWN_PER_GAME = 12;

interface Listing {
  readonly sessions: readonly SessionRecord[];
  readonly total: number;
}

/** The sessions of every game, best scores first. */
async function readLive(signal: AbortSignal): Promise<Listing> {
  const pages = await Promise.all(
    games.map(({ slug }) => client.sessions.live({ slug, limit: SHOWN_PER_GAME }, { signal })),
  );
  return {
    sessions: pages.flatMap((page) => page.sessions).sort((one, other) => other.score - one.score),
    total: pages.reduce((sum, page) => sum + page.total, 0),
  };
}

export function LiveList() {
  const listing = useSignal<Listing | null>(null);
  const isAway = useSignal(false);

  useEffect(() => {
    const stop = new AbortController();
    const poll = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        if (!document.hidden) {
          try {
            listing.value = await readLive(stop.signal);
            isAway.value = false;
          } catch {
            isAway.value = !stop.signal.aborted;
          }
        }
        await sleep(EVERY_MS, stop.signal);
      }
    };
    poll().catch(() => {});
    return () => stop.abort();
  }, []);

  const { sessions, total } = listing.value ?? { sessions: [], total: 0 };
  return (
    <section class="live" aria-labelledby="live-title" aria-busy={listing.value === null}>
      <h2 id="live-title">
        Live now
        {total > 0 && <span class="live-count">{total}</span>}
      </h2>
      {isAway.value && <p class="notice">The service does not answer right now. Asking again …</p>}
      {listing.value !== null && sessions.length === 0 && (
        <p class="quiet">Nobody plays at this moment. The stage is free: let your agent take it.</p>
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
      <a class="live-row" href={watchPath(slug, sessionId)}>
        <span class={`lamp lamp-${phase}`} />
        <span class="live-who">
          <b>{playerName(session)}</b>
          <span>{findGame(slug)?.title ?? slug}</span>
        </span>
        <span class="live-phase">{PHASE_WORDS[phase] ?? phase}</span>
        <span class="live-score">{score}</span>
        <span class="live-seats">
          <EyeIcon />
          <span class="unseen">Spectators: </span>
          {`${spectators.current}/${spectators.max}`}
        </span>
        <span class="live-watch">Watch</span>
      </a>
    </li>
  );
}
