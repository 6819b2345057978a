import { useEffect, useMemo } from "preact/hooks";
import type { Game } from "../../backend/games/game.ts";
import { EndCard } from "../stage/end-card.tsx";
import { Hud } from "../stage/hud.tsx";
import { Ladder } from "../stage/ladder.tsx";
import { Message } from "../stage/message.tsx";
import { Screen } from "../stage/screen.tsx";
import { Theatre } from "../stage/theatre.tsx";
import { Ticker } from "../stage/ticker.tsx";
import { Standing } from "../watch/standing.tsx";
import { Viewing } from "../watch/viewing.ts";
import { playerName, shortHex } from "../words.ts";

interface WatchProps {
  readonly game: Game;
  readonly sessionId: string;
}

export function WatchPage({ game, sessionId }: WatchProps) {
  const viewing = useMemo(() => new Viewing(game, sessionId), [game, sessionId]);
  useEffect(() => {
    void viewing.watch();
    return () => viewing.leave();
  }, [viewing]);

  const record = viewing.record.value;
  const frame = viewing.show.value.frame.value;
  const score = frame?.score.current ?? viewing.end.value?.score ?? 0;
  return (
    <Theatre
      game={game}
      who={record === null ? "Session" : playerName(record)}
      note={
        record !== null && (
          <p class="quiet seal" title={record.seedCommitment}>
            {`Seed sealed before the start: ${shortHex(record.seedCommitment)}`}
          </p>
        )
      }
      hud={<Hud frame={frame} audience />}
      screen={
        <Screen
          game={game}
          moving={viewing.state.value.at !== "ended"}
          sample={(nowMs) => viewing.sample(nowMs)}
          label={game.title}
        >
          <Overlay viewing={viewing} />
        </Screen>
      }
      side={
        <>
          <Ladder game={game} score={score} />
          <Ticker entries={viewing.show.value.ticker.value} />
        </>
      }
    />
  );
}

function Overlay({ viewing }: { readonly viewing: Viewing }) {
  const state = viewing.state.value;
  const end = viewing.end.value;
  switch (state.at) {
    case "watching":
      return null;
    case "joining":
      return <Message>Joining the session …</Message>;
    case "reconnecting":
      return <Message>The line was lost. Coming back …</Message>;
    case "missing":
      return (
        <Message title="No such session">
          <a class="button" href="#/">
            See who plays now
          </a>
        </Message>
      );
    case "full":
    case "failed":
      return (
        <Message title={state.at === "full" ? "Full house" : "That did not work"} sentence={state.text}>
          <button type="button" class="button" onClick={() => void viewing.watch()}>
            Try again
          </button>
          <a class="button button-quiet" href="#/">
            Watch another
          </a>
        </Message>
      );
    case "replaying":
      return <ReplayBar viewing={viewing} />;
    case "ended":
      if (end === null) return null;
      return (
        <EndCard score={end.score} endReason={end.endReason} standing={<Standing viewing={viewing} />}>
          {viewing.record.value?.replay?.available === true && (
            <button type="button" class="button" onClick={() => void viewing.playAgain()}>
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

function ReplayBar({ viewing }: { readonly viewing: Viewing }) {
  return (
    <div class="replay-bar">
      <span>Replay</span>
      {SPEEDS.map((speed) => (
        <button
          key={speed}
          type="button"
          aria-pressed={viewing.speed.value === speed}
          onClick={() => {
            viewing.speed.value = speed;
          }}
        >
          {`${speed}×`}
        </button>
      ))}
      <button type="button" onClick={() => viewing.skipReplay()}>
        Skip
      </button>
    </div>
  );
}
