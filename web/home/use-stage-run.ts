/** Which run the stage shows. */
import { useEffect, useState } from "preact/hooks";
import { type LiveSessions, loadRecorded, type StageRun } from "./load-stage.ts";

/** Keeps the run on the stage until it is over; then the best live one, or a recorded one, follows. */
export function useStageRun(live: LiveSessions | null): StageRun | null {
  // The server chose this run, so the first picture does not change.
  const [run, setRun] = useState<StageRun | null>(() => findLiveRun(live));
  useEffect(() => {
    if (live === null) return;
    const isOn = run?.kind === "live" && live.sessions.some(({ sessionId }) => sessionId === run.record.sessionId);
    if (isOn) return;
    const best = findLiveRun(live);
    if (best !== null) return setRun(best);
    if (run !== null && run.kind !== "live") return;
    const controller = new AbortController();
    loadRecorded(controller.signal)
      .then(setRun)
      .catch(() => setRun({ kind: "demo" }));
    return () => controller.abort();
  }, [live]);
  return run;
}

function findLiveRun(live: LiveSessions | null): StageRun | null {
  const best = live?.sessions.find(({ joinable }) => joinable);
  return best === undefined ? null : { kind: "live", record: best };
}
