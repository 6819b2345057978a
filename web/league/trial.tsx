/** Tries the editor's text in a worker, and shows the results. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Forfeit } from "../../domain/league/course.ts";
import { POLICY_BOUNDS } from "../../domain/league/policy-text.ts";
import type { Game } from "../../games/game.ts";
import { formatCourses, LEAGUE_LABELS, WRITE_LABELS } from "../labels/league.ts";
import { formatNumber, getErrorMessage } from "../labels/shared.ts";
import type { Moment } from "../replay/moments.ts";
import { CoursePicture, createRecording, findLostLives } from "./course-picture.tsx";
import { CourseProgress } from "./course-progress.tsx";
import { TRY_COURSES, type Trial, tryPolicy } from "./try-policy.ts";

type State =
  | { readonly kind: "idle" | "cancelled" }
  | { readonly kind: "running"; readonly coursesPlayed: number }
  | { readonly kind: "failed"; readonly text: string }
  | { readonly kind: "refused"; readonly fault: Forfeit }
  | { readonly kind: "done"; readonly trial: Trial };

interface TrialPanelProps {
  readonly game: Game;
  readonly text: Signal<string>;
  /** Shows a place of the text. */
  readonly onPlace: (line: number, column: number) => void;
}

export function TrialPanel({ game, text, onPlace }: TrialPanelProps) {
  const state = useSignal<State>({ kind: "idle" });
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const run = async (): Promise<void> => {
    if (state.value.kind === "running") return;
    controller.current = new AbortController();
    const { signal } = controller.current;
    const onProgress = (coursesPlayed: number): void => {
      state.value = { kind: "running", coursesPlayed };
    };
    onProgress(0);
    try {
      const result = await tryPolicy(game, text.value, onProgress, signal);
      state.value = "reason" in result ? { kind: "refused", fault: result } : { kind: "done", trial: result };
    } catch (error) {
      state.value = signal.aborted ? { kind: "cancelled" } : { kind: "failed", text: getErrorMessage(error) };
    }
  };
  const now = state.value;
  return (
    <section class="trial" aria-label={WRITE_LABELS.try(TRY_COURSES)}>
      <p class="actions">
        <button type="button" class="button" aria-disabled={now.kind === "running"} onClick={() => void run()}>
          {WRITE_LABELS.try(TRY_COURSES)}
        </button>
        {now.kind === "running" && (
          <button type="button" class="button button-quiet" onClick={() => controller.current?.abort()}>
            {LEAGUE_LABELS.cancel}
          </button>
        )}
      </p>
      <p class="quiet">{WRITE_LABELS.tryLead}</p>
      {now.kind === "running" && <CourseProgress played={now.coursesPlayed} courses={TRY_COURSES} />}
      <div role="status">
        {now.kind === "cancelled" && <p>{LEAGUE_LABELS.cancelled}</p>}
        {now.kind === "failed" && <p class="check check-failed">{now.text}</p>}
        {now.kind === "refused" && (
          <p class="check check-failed">
            {WRITE_LABELS.refused} <Fault fault={now.fault} onPlace={onPlace} />
          </p>
        )}
        {now.kind === "done" && <TrialResults trial={now.trial} onPlace={onPlace} />}
      </div>
      {now.kind === "done" && <WorstMoment key={now.trial.worst.seed} game={game} trial={now.trial} />}
    </section>
  );
}

interface FaultProps extends Pick<TrialPanelProps, "onPlace"> {
  readonly fault: Forfeit;
}

function Fault({ fault: { text, line, column }, onPlace }: FaultProps) {
  return (
    <>
      {text}
      {line !== null && (
        <>
          {" ("}
          <button type="button" class="inline" onClick={() => onPlace(line, column ?? 1)}>
            {WRITE_LABELS.place(line, column ?? 1)}
          </button>
          )
        </>
      )}
    </>
  );
}

interface TrialResultsProps extends Pick<TrialPanelProps, "onPlace"> {
  readonly trial: Trial;
}

function TrialResults({ trial, onPlace }: TrialResultsProps) {
  const { median, best, worst, referenceMedian, won, fuelPerTick, forfeits, unknown } = trial;
  const facts: readonly (readonly [name: string, value: string])[] = [
    [WRITE_LABELS.median, formatNumber(median)],
    [WRITE_LABELS.best, formatNumber(best)],
    [WRITE_LABELS.worst, worst.run.forfeit === null ? formatNumber(worst.run.score) : WRITE_LABELS.forfeited],
    [WRITE_LABELS.reference, formatNumber(referenceMedian)],
    [WRITE_LABELS.beats, formatCourses(won)],
    [WRITE_LABELS.fuel, WRITE_LABELS.fuelOf(fuelPerTick, POLICY_BOUNDS.meanTickFuel)],
  ];
  return (
    <>
      <dl class="trial-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {forfeits.length === 0 ? (
        <p class="check check-ok">{WRITE_LABELS.noForfeits}</p>
      ) : (
        <ul class="trial-forfeits">
          {forfeits.map(({ forfeit, count }) => (
            <li key={`${forfeit.text}${forfeit.line}${forfeit.column}`} class="check check-failed">
              {WRITE_LABELS.forfeits(count)} <Fault fault={forfeit} onPlace={onPlace} />
            </li>
          ))}
        </ul>
      )}
      {unknown !== null && <p class="check check-warning">{WRITE_LABELS.unknown(unknown.count, unknown.example)}</p>}
    </>
  );
}

/** Before the end of the course. */
const LEAD_IN_SECONDS = 3;

function WorstMoment({ game, trial }: { readonly game: Game; readonly trial: Trial }) {
  const isShown = useSignal(false);
  const { course, seed, run } = trial.worst;
  const recording = useMemo(
    () => (isShown.value ? createRecording(game, { seed, tickHz: game.tickHz }, run) : null),
    [isShown.value],
  );
  if (recording === null)
    return (
      <button
        type="button"
        class="button button-quiet"
        onClick={() => {
          isShown.value = true;
        }}
      >
        {WRITE_LABELS.watchWorst}
      </button>
    );
  const moments: Moment[] = [...findLostLives(recording, null)];
  if (run.forfeit !== null) moments.push({ tick: recording.ticks, kind: "life", text: run.forfeit.text });
  const { width, height } = game.world;
  return (
    <div class={height > width ? "run run-tall" : "run"} style={`--world-width: ${width}; --world-height: ${height}`}>
      <div class="run-head">
        <h2>{WRITE_LABELS.worstTitle(course + 1)}</h2>
      </div>
      <CoursePicture
        game={game}
        recordings={[recording]}
        moments={moments}
        label={WRITE_LABELS.picture(game.title)}
        startTick={recording.ticks - LEAD_IN_SECONDS * game.tickHz}
        isPlaying={true}
      />
    </div>
  );
}
