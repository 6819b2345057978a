/** The browser's checks of a run, and the files for further checks. */
import { useEffect, useState } from "preact/hooks";
import type { SessionRecord } from "../../client/api.ts";
import type { Replay } from "../../domain/replay/replay.ts";
import { toSitePath } from "../../domain/site.ts";
import { Address } from "../components/address.tsx";
import { RUN_LABELS } from "../labels/runs.ts";
import { getErrorMessage } from "../labels/shared.ts";
import { type Check, checkOnChain, checkReproduced } from "./check-run.ts";

export interface RunChecks {
  readonly reproduced: Check | null;
  readonly onChain: Check | null;
}

/** Null while the check runs, and before there is a replay. */
function useCheck(check: (() => Promise<Check>) | null, inputs: readonly unknown[]): Check | null {
  const [result, setResult] = useState<Check | null>(null);
  useEffect(() => {
    let isGone = false;
    setResult(null);
    if (check === null) return;
    check()
      .catch((error: unknown): Check => ({ verdict: "failed", text: getErrorMessage(error) }))
      .then((found) => {
        if (!isGone) setResult(found);
      })
      .catch(() => undefined);
    return () => {
      isGone = true;
    };
  }, inputs);
  return result;
}

const CheckRow = ({ name, check }: { readonly name: string; readonly check: Check | null }) => (
  <div class={`check check-${check?.verdict ?? "open"}`} data-verdict={check?.verdict ?? "running"}>
    <dt>
      {name}
      {check?.word !== undefined && <code class="verdict">{check.word}</code>}
    </dt>
    <dd aria-live="polite">{check?.text ?? RUN_LABELS.checking}</dd>
  </div>
);

export function useRunChecks(replay: Replay | null, record: SessionRecord | null): RunChecks {
  const toCheck = (check: typeof checkOnChain) =>
    replay === null || record === null ? null : () => check(replay, record);
  return {
    reproduced: useCheck(toCheck(checkReproduced), [replay, record]),
    onChain: useCheck(toCheck(checkOnChain), [replay, record]),
  };
}

export function Evidence({ record, checks }: { readonly record: SessionRecord; readonly checks: RunChecks }) {
  const { reproduced, onChain } = checks;
  const { slug, sessionId } = record;
  return (
    <section class="evidence" aria-label={RUN_LABELS.evidence}>
      <h2>{RUN_LABELS.evidence}</h2>
      <dl>
        <CheckRow name={RUN_LABELS.reproducedHere} check={reproduced} />
        <CheckRow name={RUN_LABELS.standsOnChain} check={onChain} />
        {onChain?.event !== undefined && (
          <div class="check">
            <dt>{RUN_LABELS.transaction}</dt>
            <dd>
              <Address hex={onChain.event.txHash} kind="tx" />
            </dd>
          </div>
        )}
      </dl>
      <p class="evidence-links">
        <a href={`/api/games/${slug}/sessions/${sessionId}/replay`} download={`${slug}-${sessionId}.json`}>
          {RUN_LABELS.download}
        </a>
        <a href={`${toSitePath("guide", { guide: "replays" })}#verdicts`}>{RUN_LABELS.wordsMeaning}</a>
      </p>
    </section>
  );
}
