/** Replays a round on a click, and shows the result. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { CopyText } from "../components/copy-text.tsx";
import { LEAGUE_LABELS } from "../labels/league.ts";
import { getErrorMessage } from "../labels/shared.ts";
import { type CheckProgress, checkRound } from "./check-round.ts";
import { CourseProgress } from "./course-progress.tsx";
import { readRound, toRoundPath } from "./league-data.ts";

type Outcome = { readonly tone: "ok" | "failed" | "open"; readonly text: string };

interface CheckPanelProps {
  readonly slug: string;
  readonly season: number;
}

export function CheckPanel({ slug, season }: CheckPanelProps) {
  const progress = useSignal<CheckProgress | null>(null);
  const outcome = useSignal<Outcome | null>(null);
  const controller = useRef<AbortController | null>(null);
  useEffect(() => () => controller.current?.abort(), []);
  const isRunning = progress.value !== null && outcome.value === null;
  const check = async (): Promise<void> => {
    if (isRunning) return;
    controller.current = new AbortController();
    const { signal } = controller.current;
    outcome.value = null;
    progress.value = { coursesPlayed: 0, courses: 0, found: [] };
    const onProgress = (next: CheckProgress): void => {
      progress.value = next;
    };
    try {
      outcome.value = toOutcome(await checkRound(await readRound(slug, season, signal), onProgress, signal));
    } catch (error) {
      outcome.value = { tone: "open", text: signal.aborted ? LEAGUE_LABELS.cancelled : getErrorMessage(error) };
    }
    controller.current = null;
  };
  return (
    <div class="league-check">
      <p class="quiet">{LEAGUE_LABELS.checkLead}</p>
      <p class="actions">
        <button type="button" class="button" aria-disabled={isRunning} onClick={() => void check()}>
          {LEAGUE_LABELS.check}
        </button>
        {isRunning && (
          <button type="button" class="button button-quiet" onClick={() => controller.current?.abort()}>
            {LEAGUE_LABELS.cancel}
          </button>
        )}
      </p>
      {isRunning && <CourseProgress played={progress.value!.coursesPlayed} courses={progress.value!.courses} />}
      <div role="status">
        {outcome.value !== null && <p class={`check check-${outcome.value.tone}`}>{outcome.value.text}</p>}
      </div>
      {progress.value !== null && <Differences found={progress.value.found} />}
      <VerifyCommand path={toRoundPath(slug, season)} />
    </div>
  );
}

function toOutcome(found: readonly string[] | null): Outcome {
  if (found === null) return { tone: "open", text: LEAGUE_LABELS.unknownRules };
  if (found.length === 0) return { tone: "ok", text: LEAGUE_LABELS.reproduced };
  return { tone: "failed", text: LEAGUE_LABELS.differs(found.length) };
}

const SHOWN_MAX = 20;

const Differences = ({ found }: Pick<CheckProgress, "found">) => (
  <ul class="differences">
    {found.slice(0, SHOWN_MAX).map((difference) => (
      <li key={difference}>{difference}</li>
    ))}
    {found.length > SHOWN_MAX && <li>{LEAGUE_LABELS.more(found.length - SHOWN_MAX)}</li>}
  </ul>
);

/** With the address of this service, once the page knows it. */
function VerifyCommand({ path }: { readonly path: string }) {
  const [origin, setOrigin] = useState("");
  useEffect(() => setOrigin(location.origin), []);
  return (
    <p class="league-command">
      <span class="quiet">{`${LEAGUE_LABELS.verify}: `}</span>
      <CopyText text={`npm run verify -- --league ${origin}${path}`} label={LEAGUE_LABELS.verify} />
    </p>
  );
}
