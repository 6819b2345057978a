/** The controls of a recorded run: a timeline with marks, pause, single ticks, speed. */
import { useEffect, useMemo } from "preact/hooks";
import type { Replay } from "../../domain/replay/replay.ts";
import { PauseIcon, PlayIcon, StepBackIcon, StepIcon } from "../components/icons.tsx";
import { formatMoment, formatSpeed, RUN_LABELS } from "../labels/runs.ts";
import { formatDuration } from "../labels/shared.ts";
import { type Ghost, LEAD_IN_SECONDS } from "./ghost.ts";
import type { Moment } from "./moments.ts";
import { type RunPlayer, SPEEDS } from "./run-player.ts";

interface PlayerProps {
  /** Null until the replay is loaded. The controls already take their space. */
  readonly player: RunPlayer | null;
}

interface TransportProps extends PlayerProps {
  readonly moments: readonly Moment[];
}

const usesKeys = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest("button, a, summary, pre, select, textarea, input:not([type=range])") !== null;

/** Keys work wherever the focus is, except in controls that use them. */
function useTransportKeys(player: RunPlayer | null): void {
  useEffect(() => {
    if (player === null) return;
    const { tickHz } = player;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || usesKeys(event.target)) return;
      if (event.code === "Space") player.toggle();
      else if (event.code === "Comma") player.step(-1);
      else if (event.code === "Period") player.step(1);
      else if (event.code === "ArrowLeft") player.seek(player.tick.value - tickHz);
      else if (event.code === "ArrowRight") player.seek(player.tick.value + tickHz);
      else if (event.code === "Home") player.seek(0);
      else if (event.code === "End") player.seek(player.ticks);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [player]);
}

/** Every input as a line at its tick: one path, however many there are. */
const toInputPath = ({ inputs }: Replay): string => inputs.map(([tick]) => `M${tick} 0v1`).join("");

function formatPosition(player: RunPlayer | null): string {
  const tick = player?.tick.value ?? 0;
  return formatMoment(formatDuration(tick / (player?.tickHz ?? 1)), tick);
}

// The only two parts of the controls that render with every tick.
const Position = ({ player }: PlayerProps) => <>{formatPosition(player)}</>;

const Slider = ({ player }: PlayerProps) => (
  <input
    type="range"
    min={0}
    max={Math.max(1, player?.ticks ?? 1)}
    value={player?.tick.value ?? 0}
    aria-label={RUN_LABELS.position}
    aria-valuetext={formatPosition(player)}
    disabled={player === null}
    onInput={(event) => player?.seek(Number(event.currentTarget.value))}
  />
);

export function Transport({ player, moments, replay }: TransportProps & { readonly replay: Replay | null }) {
  useTransportKeys(player);
  const inputPath = useMemo(() => (replay === null ? "" : toInputPath(replay)), [replay]);
  const ticks = Math.max(1, player?.ticks ?? 1);
  const isPlaying = player?.isPlaying.value ?? false;
  // Without a player the length of the run is unknown: a mark would be far outside the page.
  const marked = player === null ? { pauses: [], moments: [] } : { pauses: replay?.pauses ?? [], moments };
  return (
    <div class="transport">
      <div class="scrub">
        <Slider player={player} />
        <div class="scrub-marks" aria-hidden="true">
          <svg class="input-marks" viewBox={`0 0 ${ticks} 1`} preserveAspectRatio="none">
            <title>{RUN_LABELS.inputs}</title>
            <path d={inputPath} />
          </svg>
          {marked.pauses.map(([at, reason]) => (
            <i
              key={`pause${at}`}
              class="mark mark-pause"
              style={`--share: ${at / ticks}`}
              title={RUN_LABELS.pausedBy[reason]}
            />
          ))}
          {marked.moments.map((moment) => (
            <i
              key={`${moment.kind}${moment.tick}`}
              class={`mark mark-${moment.kind}`}
              style={`--share: ${moment.tick / ticks}`}
              title={moment.text}
            />
          ))}
        </div>
      </div>
      <div class="transport-row">
        <button type="button" class="icon-button" aria-label={RUN_LABELS.stepBack} onClick={() => player?.step(-1)}>
          <StepBackIcon />
        </button>
        <button
          type="button"
          class="icon-button icon-button-main"
          aria-label={isPlaying ? RUN_LABELS.pause : RUN_LABELS.play}
          onClick={() => player?.toggle()}
        >
          {isPlaying ? <PauseIcon /> : <PlayIcon />}
        </button>
        <button type="button" class="icon-button" aria-label={RUN_LABELS.stepForth} onClick={() => player?.step(1)}>
          <StepIcon />
        </button>
        <output class="transport-position">
          <Position player={player} />
        </output>
        <fieldset class="speeds" aria-label={RUN_LABELS.speed}>
          {SPEEDS.map((speed) => (
            <button
              key={speed}
              type="button"
              aria-pressed={(player?.speed.value ?? 1) === speed}
              onClick={() => {
                if (player !== null) player.speed.value = speed;
              }}
            >
              {formatSpeed(speed)}
            </button>
          ))}
        </fieldset>
      </div>
      <p class="quiet transport-keys">{RUN_LABELS.keys}</p>
    </div>
  );
}

const Ghosted = ({ ghost }: { readonly ghost: Ghost | undefined }) =>
  ghost === undefined ? null : (
    <span class="quiet">{ghost.survives ? RUN_LABELS.ghostSurvives : RUN_LABELS.ghostLoses}</span>
  );

/** Each moment with a button that seeks to it; for a lost life, to some seconds before it. */
export function MomentList({ player, moments }: TransportProps) {
  const tickHz = player?.tickHz ?? 1;
  const show = ({ tick, kind }: Moment): void => {
    player?.seek(kind === "life" ? tick - LEAD_IN_SECONDS * tickHz : tick);
    if (player !== null && kind === "life") player.isPlaying.value = true;
  };
  return (
    <section class="moments" aria-label={RUN_LABELS.moments}>
      <h2>{RUN_LABELS.moments}</h2>
      {player !== null && moments.length === 0 && <p class="quiet">{RUN_LABELS.noMoments}</p>}
      <ol>
        {moments.map((moment) => (
          <li key={`${moment.kind}${moment.tick}`}>
            <button type="button" class="inline" onClick={() => show(moment)}>
              <time>{formatDuration(moment.tick / tickHz)}</time>
            </button>
            <span class={moment.kind === "life" ? "tone-bad" : "tone-good"}>{moment.text}</span>
            {moment.kind === "life" && (
              <Ghosted ghost={player?.ghosts[0]?.find(({ endTick }) => endTick === moment.tick)} />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
