import { useEffect, useMemo } from "preact/hooks";
import type { SessionRecord } from "../../client/api.ts";
import type { Game } from "../../games/game.ts";
import { findGame } from "../../games/index.ts";
import { Legend } from "../components/legend.tsx";
import { Load } from "../components/load.tsx";
import { PixelText } from "../components/pixels.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { formatSeal, formatWatching, getPlayerName, HUD_LABELS, SESSION_LABELS } from "../labels/session.ts";
import type { PageProps } from "../page-props.ts";
import { GameCanvas } from "../session/canvas.tsx";
import { EventLog } from "../session/event-log.tsx";
import { Hud } from "../session/hud.tsx";
import { Layout } from "../session/layout.tsx";
import { Overlay } from "../session/overlay.tsx";
import { SessionView } from "../session/session-view.ts";
import { TierList } from "../session/tier-list.tsx";
import { useStanding } from "../session/use-standings.ts";
import { useTitle } from "../title.ts";
import { client } from "../wallet/service.ts";

export function WatchPage({ params }: PageProps) {
  const sessionId = params.id ?? "";
  const found = useLoaded("session", (signal) => client.sessions.getById({ sessionId }, { signal }), [sessionId]);
  const game = found.value === null ? undefined : findGame(found.value.session.slug);
  if (found.isMissing) return <NoSession />;
  if (found.value === null) return <Load loaded={found}>{() => null}</Load>;
  return game === undefined ? <NoSession /> : <Watch key={sessionId} game={game} found={found.value.session} />;
}

const NoSession = () => (
  <div class="not-found">
    <h1>
      <PixelText text={SESSION_LABELS.missing} />
    </h1>
    <a class="button" href="/">
      {SESSION_LABELS.seeLive}
    </a>
  </div>
);

interface WatchProps {
  readonly game: Game;
  readonly found: SessionRecord;
}

function Watch({ game, found }: WatchProps) {
  const { sessionId } = found;
  const sessionView = useMemo(() => new SessionView(game, sessionId, found), [game, sessionId]);
  useEffect(() => {
    void sessionView.watch();
    return () => sessionView.leave();
  }, [sessionView]);

  const record = sessionView.record.value;
  const frame = sessionView.sessionState.value.frame.value;
  const score = frame?.score.current ?? sessionView.end.value?.score ?? 0;
  const standing = useStanding(game.slug, score);
  // Demo runs are not on the leaderboard and have no rank.
  const isDemo = record?.demo === true;
  useTitle(record === null ? null : formatWatching(getPlayerName(record), game.title));
  return (
    <Layout
      game={game}
      heading={SESSION_LABELS.unnamed}
      player={record ?? undefined}
      note={
        record !== null && (
          <div>
            {isDemo && <p class="quiet">{SESSION_LABELS.demoNote}</p>}
            <p class="quiet seal" title={record.seedCommitment}>
              {formatSeal(record.seedCommitment)}
            </p>
          </div>
        )
      }
      hud={
        <Hud
          frame={frame}
          showSpectators
          rank={score > 0 && !isDemo ? standing.rank : null}
          recordToBeat={standing.record || null}
        />
      }
      canvas={
        <GameCanvas
          game={game}
          isAnimated={sessionView.state.value.status !== "ended"}
          sample={(nowMs) => sessionView.sample(nowMs)}
          label={game.title}
        >
          <Overlay sessionView={sessionView} />
        </GameCanvas>
      }
      sidebar={
        <>
          <TierList game={game} score={score} />
          <EventLog entries={sessionView.sessionState.value.eventLog.value} />
          <details class="legend-box">
            <summary>{HUD_LABELS.legend}</summary>
            <Legend game={game} />
          </details>
        </>
      }
    />
  );
}
