/** The running sessions, each with a live picture, a portrait and the free seats. */
import { useEffect, useMemo } from "preact/hooks";
import type { SessionRecord } from "../../client/api.ts";
import { toSitePath } from "../../domain/site.ts";
import { findGame } from "../../games/index.ts";
import { DemoAgentMark } from "../components/demo-agent-mark.tsx";
import { EyeIcon } from "../components/icons.tsx";
import { Portrait } from "../components/portrait.tsx";
import { formatMore, HOME_LABELS } from "../labels/home.ts";
import { getPlayerName, PHASE_LABELS } from "../labels/session.ts";
import { formatNumber } from "../labels/shared.ts";
import { GameCanvas } from "../session/canvas.tsx";
import { SessionView } from "../session/session-view.ts";
import type { LiveSessions } from "./load-stage.ts";

/** Each live picture takes a seat and a socket. */
const LIVING_MAX = 4;

interface LiveGridProps {
  readonly live: LiveSessions;
  /** The session on the stage, which is not shown twice. */
  readonly stageId: string | null;
}

export function LiveGrid({ live: { sessions, total }, stageId }: LiveGridProps) {
  const others = sessions.filter(({ sessionId }) => sessionId !== stageId);
  return (
    <section class="live" aria-labelledby="live-title">
      <h2 id="live-title">
        {HOME_LABELS.liveNow}
        {total > 0 && <span class="live-count">{total}</span>}
      </h2>
      {sessions.length === 0 && <p class="quiet">{HOME_LABELS.noLive}</p>}
      {sessions.length > 0 && others.length === 0 && <p class="quiet">{HOME_LABELS.onStage}</p>}
      <ul class="live-grid">
        {others.map((session, index) => (
          <li key={session.sessionId}>
            <LiveCard session={session} isLiving={index < LIVING_MAX} />
          </li>
        ))}
      </ul>
      {total > sessions.length && <p class="quiet">{formatMore(total - sessions.length)}</p>}
    </section>
  );
}

function LiveCard({ session, isLiving }: { readonly session: SessionRecord; readonly isLiving: boolean }) {
  const { slug, sessionId, phase, score, spectators, demo } = session;
  return (
    <a class="live-card" href={toSitePath("watch", { id: sessionId })}>
      {isLiving && <Thumbnail session={session} />}
      <span class="live-card-text">
        <Portrait holder={session.walletAddress} />
        <span class="live-who">
          <span class="live-name">
            <b>{getPlayerName(session)}</b>
            {demo === true && <DemoAgentMark />}
          </span>
          <span>{`${findGame(slug)?.title ?? slug} · ${PHASE_LABELS[phase]}`}</span>
        </span>
        <span class="live-score">{formatNumber(score)}</span>
        <span class="live-seats">
          <EyeIcon />
          <span class="visually-hidden">{HOME_LABELS.spectators}</span>
          {`${spectators.current}/${spectators.max}`}
        </span>
      </span>
    </a>
  );
}

function Thumbnail({ session: { slug, sessionId } }: { readonly session: SessionRecord }) {
  const game = findGame(slug);
  const view = useMemo(() => (game === undefined ? null : new SessionView(game, sessionId)), [sessionId]);
  useEffect(() => {
    void view?.watch();
    return () => view?.leave();
  }, [view]);
  if (game === undefined || view === null) return null;
  return (
    <span class="thumbnail">
      <GameCanvas game={game} isAnimated sample={(nowMs) => view.sample(nowMs)} label={game.title} />
    </span>
  );
}
