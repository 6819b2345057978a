/** One or two runs of a course in one picture: the second one's figure is an outline. */
import { useMemo } from "preact/hooks";
import type { Hex } from "../../client/api.ts";
import type { Run } from "../../domain/league/course.ts";
import type { Game, PlayFrame } from "../../games/game.ts";
import { MATCH_LABELS } from "../labels/league.ts";
import { toEventLogLine } from "../labels/session.ts";
import type { Moment } from "../replay/moments.ts";
import { Recording } from "../replay/recording.ts";
import { RunPlayer } from "../replay/run-player.ts";
import { MomentList, Transport } from "../replay/transport.tsx";
import { GameCanvas } from "../session/canvas.tsx";
import { PlayerHud } from "../session/hud.tsx";
import type { Sample } from "../session/timeline.ts";

interface Course {
  readonly seed: Hex;
  readonly tickHz: number;
}

export const createRecording = (game: Game, { seed, tickHz }: Course, { moves, ticks }: Run): Recording =>
  new Recording(game, {
    ...{ seed, tickHz, ticks },
    inputs: [...moves].flatMap((move, index) =>
      move === "." ? [] : [[index + 1, Number.parseInt(move, 36)] as const],
    ),
  });

/** Lost lives; with a name if there are two. */
export const findLostLives = ({ events }: Recording, name: string | null): readonly Moment[] =>
  events
    .filter(({ event }) => event === "life_lost")
    .map((event) => {
      const text = toEventLogLine(event)?.text ?? event.event;
      return { tick: event.tick, kind: "life", text: name === null ? text : MATCH_LABELS.of(name, text) };
    });

/** The place of the outline; null after its run has ended. */
function findOutline({ frame, previous, alpha }: Sample, position: number): PlayFrame["pawn"] | null {
  if (position > frame.tick) return null;
  const { pawn } = frame;
  const from = previous?.pawn ?? pawn;
  return { ...pawn, x: from.x + (pawn.x - from.x) * alpha, y: from.y + (pawn.y - from.y) * alpha };
}

function OutlineScore({ player, name }: { readonly player: RunPlayer; readonly name: string }) {
  const { scores, ticks } = player.recordings[1]!;
  return <p class="quiet">{MATCH_LABELS.outlineHas(name, scores[Math.min(player.tick.value, ticks)]!)}</p>;
}

interface CoursePictureProps {
  readonly game: Game;
  /** Null until the page is hydrated; an empty picture is shown instead. */
  readonly recordings: readonly [Recording, Recording?] | null;
  readonly moments: readonly Moment[];
  readonly label: string;
  readonly outlineName?: string;
  readonly startTick?: number;
  readonly isPlaying?: boolean;
}

export function CoursePicture({
  game,
  recordings,
  moments,
  label,
  outlineName = "",
  startTick = 0,
  isPlaying = false,
}: CoursePictureProps) {
  const player = useMemo(
    () =>
      recordings === null
        ? null
        : new RunPlayer(
            recordings.filter((each) => each !== undefined),
            { tick: startTick, isPlaying },
          ),
    [recordings],
  );
  const sample = (nowMs: number): Sample | null => {
    if (player === null) return null;
    const shown = player.sample(0, nowMs);
    if (player.recordings[1] === undefined) return shown;
    return { ...shown, ghost: findOutline(player.sample(1, nowMs), player.tick.value) };
  };
  const { width, height } = game.world;
  return (
    <>
      <div class="run-stage run-stage-1">
        <figure class="run-picture" style={`--world-width: ${width}; --world-height: ${height}`}>
          <div class="bezel">
            <GameCanvas
              game={game}
              isAnimated={player?.isPlaying.value ?? false}
              version={player?.tick}
              sample={sample}
              label={label}
            />
          </div>
          <figcaption>
            <PlayerHud player={player} />
            {player?.recordings[1] !== undefined && <OutlineScore player={player} name={outlineName} />}
          </figcaption>
        </figure>
      </div>
      <Transport player={player} moments={moments} replay={null} />
      <div class="run-below">
        <MomentList player={player} moments={moments} />
      </div>
    </>
  );
}
