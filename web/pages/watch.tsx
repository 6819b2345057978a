import { useEffect, useMemo } from "preact/hooks";
import type { Game } from "../../backend/games/game.ts";
import { getPlayerName, shortenHex } from "../labels.ts";
import { GameCanvas } from "../session/canvas.tsx";
import { EndCard } from "../session/end-card.tsx";
import { EventLog } from "../session/event-log.tsx";
import { Hud } from "../session/hud.tsx";
import { Layout } from "../session/layout.tsx";
import { MessageCard } from "../session/message.tsx";
import { SessionView } from "../session/session-view.ts";
import { SnapshotStatus } from "../session/snapshot-status.tsx";
import { TierList } from "../session/tier-list.tsx";

interface WatchPageProps {
  readonly game: Game;
  readonly sessionId: string;
}

export function WatchPage({ game, sessionId }: WatchPageProps) {
  const sessionView = useMemo(() => new SessionView(game, sessionId), [game, sessionId]);
  useEffect(() => {
    void sessionView.watch();
    return () => sessionView.leave();
  }, [sessionView]);

  const record = sessionView.record.value;
  const frame = sessionView.sessionState.value.frame.value;
  const score = frame?.score.current ?? sessionView.end.value?.score ?? 0;
  return (
    <Layout
      game={game}
      heading={record === null ? "Session" : getPlayerName(record)}
      note={
        record !== null && (
          <p class="quiet seal" title={record.seedCommitment}>
            {`Seed sealed before the start: ${shortenHex(record.seedCommitment)}`}
          </p>
        )
      }
      hud={<Hud frame={frame} showSpectators />}
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
        </>
      }
    />
  );
}

function Overlay({ sessionView }: { readonly sessionView: SessionView }) {
  const state = sessionView.state.value;
  const end = sessionView.end.value;
  switch (state.status) {
    case "watching":
      return null;
    case "joining":
      return <MessageCard>Joining the session …</MessageCard>;
    case "reconnecting":
      return <MessageCard>The line was lost. Coming back …</MessageCard>;
    case "missing":
      return (
        <MessageCard title="No such session">
          <a class="button" href="#/">
            See who plays now
          </a>
        </MessageCard>
      );
    case "full":
    case "failed":
      return (
        <MessageCard title={state.status === "full" ? "Full house" : "That did not work"} text={state.text}>
          <button type="button" class="button" onClick={() => void sessionView.watch()}>
            Try again
          </button>
          <a class="button button-quiet" href="#/">
            Watch another
          </a>
        </MessageCard>
      );
    case "replaying":
      return <ReplayBar sessionView={sessionView} />;
    case "ended":
      if (end === null) return null;
      return (
        <EndCard
          score={end.score}
          endReason={end.endReason}
          snapshotStatus={<SnapshotStatus sessionView={sessionView} />}
        >
          {sessionView.record.value?.replay?.available === true && (
            <button type="button" class="button" onClick={() => void sessionView.playReplay()}>
              Watch again
            </button>
          )}
          <a class="button button-quiet" href="#/">
            See who plays now
          </a>
        </EndCard>
      );
  }
}

const SPEEDS = [1, 2, 4] as const;

function ReplayBar({ sessionView }: { readonly sessionView: SessionView }) {
  return (
    <div class="replay-bar">
      <span>Replay</span>
      {SPEEDS.map((speed) => (
        <button
          key={speed}
          type="button"
          aria-pressed={sessionView.speed.value === speed}
          onClick={() => {
            sessionView.speed.value = speed;
          }}
        >
          {`${speed}×`}
        </button>
      ))}
      <button type="button" onClick={() => sessionView.skipReplay()}>
        Skip
      </button>
    </div>
  );
}
