/** What has become of an ended agent session's score: on its way to the chain, and open to anyone's check. */
import { SNAPSHOT_STATE_LABELS } from "../labels/session.ts";
import { shortenHex } from "../labels/shared.ts";
import type { SessionView } from "./session-view.ts";

export function SnapshotStatus({ sessionView }: { readonly sessionView: SessionView }) {
  const record = sessionView.record.value;
  if (record === null || record.source !== "agent_api") return null;
  const { slug, sessionId, replay, snapshot } = record;
  return (
    <dl class="snapshot-status">
      <div>
        <dt>Score</dt>
        <dd data-snapshot={snapshot.state}>{SNAPSHOT_STATE_LABELS[snapshot.state] ?? snapshot.state}</dd>
      </div>
      {snapshot.txHash !== null && (
        <div>
          <dt>Transaction</dt>
          <dd title={snapshot.txHash}>{shortenHex(snapshot.txHash)}</dd>
        </div>
      )}
      {replay?.available === true && (
        <div>
          <dt>Replay</dt>
          <dd>
            <a href={`/api/games/${slug}/sessions/${sessionId}/replay`} download={`${slug}-${sessionId}.json`}>
              Download as JSON
            </a>
          </dd>
        </div>
      )}
      {replay?.available === true && (
        <div>
          <dt>Proof</dt>
          <dd aria-live="polite">
            <ScoreCheckResult sessionView={sessionView} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function ScoreCheckResult({ sessionView }: { readonly sessionView: SessionView }) {
  const check = sessionView.scoreCheck.value;
  if (check === null) {
    return (
      <button type="button" class="inline" onClick={() => void sessionView.checkScore()}>
        Derive the score yourself
      </button>
    );
  }
  if (check === "running") return <span>Playing it again …</span>;
  return <span class={check.ok ? "check-ok" : "check-failed"}>{check.text}</span>;
}
