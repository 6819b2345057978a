/** What has become of an ended agent session's score: on its way to the chain, and open to anyone's check. */
import { SNAPSHOT_WORDS, shortHex } from "../words.ts";
import type { Viewing } from "./viewing.ts";

export function Standing({ viewing }: { readonly viewing: Viewing }) {
  const record = viewing.record.value;
  if (record === null || record.source !== "agent_api") return null;
  const { slug, sessionId, replay, snapshot } = record;
  return (
    <dl class="standing">
      <div>
        <dt>Score</dt>
        <dd data-snapshot={snapshot.state}>{SNAPSHOT_WORDS[snapshot.state] ?? snapshot.state}</dd>
      </div>
      {snapshot.txHash !== null && (
        <div>
          <dt>Transaction</dt>
          <dd title={snapshot.txHash}>{shortHex(snapshot.txHash)}</dd>
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
            <Proof viewing={viewing} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function Proof({ viewing }: { readonly viewing: Viewing }) {
  const check = viewing.check.value;
  if (check === null) {
    return (
      <button type="button" class="inline" onClick={() => void viewing.checkScore()}>
        Derive the score yourself
      </button>
    );
  }
  if (check === "running") return <span>Playing it again …</span>;
  return <span class={check.ok ? "proof-good" : "proof-bad"}>{check.text}</span>;
}
