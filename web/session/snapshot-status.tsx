/** The on-chain state of an ended agent session's score, with links to check it. */
import { toSitePath } from "../../domain/site.ts";
import { Address } from "../components/address.tsx";
import { HUD_LABELS, SNAPSHOT_STATE_LABELS } from "../labels/session.ts";
import type { SessionView } from "./session-view.ts";

export function SnapshotStatus({ sessionView }: { readonly sessionView: SessionView }) {
  const record = sessionView.record.value;
  if (record === null || record.source !== "agent_api") return null;
  const { sessionId, replay, snapshot } = record;
  return (
    <dl class="snapshot-status">
      <div>
        <dt>{HUD_LABELS.chain}</dt>
        <dd data-snapshot={snapshot.state}>{SNAPSHOT_STATE_LABELS[snapshot.state] ?? snapshot.state}</dd>
      </div>
      {snapshot.txHash !== null && (
        <div>
          <dt>{HUD_LABELS.transaction}</dt>
          <dd>
            <Address hex={snapshot.txHash} kind="tx" />
          </dd>
        </div>
      )}
      {replay?.available === true && (
        <div>
          <dt>{HUD_LABELS.proof}</dt>
          <dd>
            <a href={toSitePath("run", { id: sessionId })}>{HUD_LABELS.seeRun}</a>
          </dd>
        </div>
      )}
    </dl>
  );
}
