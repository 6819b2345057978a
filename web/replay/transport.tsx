/** The controls of a recorded run: a line to scrub, marks of what stands out, pause, single ticks, speed. */
import { useEffect } from "preact/hooks";
import { PauseIcon, PlayIcon, StepBackIcon, StepIcon } from "../components/icons.tsx";
import { formatMoment, formatSpeed, RUN_LABELS } from "../labels/runs.ts";
import { formatDuration } from "../labels/shared.ts";
import type { Moment } from "./moments.ts";
import { type RunPlayer, SPEEDS } from "./run-player.ts";

interface TransportProps {
  readonly player: RunPlayer;
  readonly moments: readonly Moment[];
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("button, a, select, input:not([type=range])") !== null;

/** Space holds and continues, comma and period step, wherever the focus is. */
function useTransportKeys(player: RunPlayer): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.code === "Space") player.toggle();
      else if (event.code === "Comma") player.step(-1);
      else if (event.code === "Period") player.step(1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [player]);
}

export function Transport({ player, moments }: TransportProps) {
  useTransportKeys(player);
  const { ticks } = player;
  const { tickHz } = player.recordings[0]!;
  const tick = player.tick.value;
  const isPlaying = player.isPlaying.value;
  const position = formatMoment(formatDuration(tick / tickHz), tick);
  return (
    <div class="transport">
      <div class="scrub">
        <input
          type="range"
          min={0}
          max={ticks}
          value={tick}
          aria-label={RUN_LABELS.position}
          aria-valuetext={position}
          onInput={(event) => player.seek(Number(event.currentTarget.value))}
        />
        <div class="scrub-marks" aria-hidden="true">
          {moments.map((moment) => (
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
        <button type="button" class="icon-button" aria-label={RUN_LABELS.stepBack} onClick={() => player.step(-1)}>
          <StepBackIcon />
        </button>
        <button
          type="button"
          class="icon-button icon-button-main"
          aria-label={isPlaying ? RUN_LABELS.pause : RUN_LABELS.play}
          onClick={() => player.toggle()}
        >
          {isPlaying ? <PauseIcon /> : <PlayIcon />}
        </button>
        <button type="button" class="icon-button" aria-label={RUN_LABELS.stepForth} onClick={() => player.step(1)}>
          <StepIcon />
        </button>
        <output class="transport-position">{position}</output>
        <fieldset class="speeds" aria-label={RUN_LABELS.speed}>
          {SPEEDS.map((speed) => (
            <button
              key={speed}
              type="button"
              aria-pressed={player.speed.value === speed}
              onClick={() => {
                player.speed.value = speed;
              }}
            >
              {formatSpeed(speed)}
            </button>
          ))}
        </fieldset>
      </div>
    </div>
  );
}

/** Each moment as a line that leads to it. */
export function MomentList({ player, moments }: TransportProps) {
  const { tickHz } = player.recordings[0]!;
  return (
    <section class="moments" aria-label={RUN_LABELS.moments}>
      <h2>{RUN_LABELS.moments}</h2>
      {moments.length === 0 && <p class="quiet">{RUN_LABELS.noMoments}</p>}
      <ol>
        {moments.map((moment) => (
          <li key={`${moment.kind}${moment.tick}`}>
            <button type="button" class="inline" onClick={() => player.seek(moment.tick)}>
              <time>{formatDuration(moment.tick / tickHz)}</time>
            </button>
            <span class={moment.kind === "life" ? "tone-bad" : "tone-good"}>{moment.text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
