/** The last word of a session, laid over its picture. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { SessionRecord } from "../../client/types.ts";
import { Pixels } from "../parts/pixels.tsx";
import { endSentence, SNAPSHOT_WORDS, shortHex } from "../words.ts";

interface EndCardProps {
  readonly score: number;
  readonly endReason: string;
  /** Where the session's record is known: its replay and how far its score has come. */
  readonly record: SessionRecord | null;
  readonly children: ComponentChildren;
}

export function EndCard({ score, endReason, record, children }: EndCardProps) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => card.current?.focus({ preventScroll: true }), []);
  return (
    <div class="overlay">
      <section class="card end-card" ref={card} tabIndex={-1} aria-label="The run is over">
        <span class="card-name">Final score</span>
        <Pixels class="end-score" text={String(score)} />
        <p>{endSentence(endReason)}</p>
        {record !== null && record.source === "agent_api" && <Standing record={record} />}
        <div class="card-ways">{children}</div>
      </section>
    </div>
  );
}

function Standing({ record }: { readonly record: SessionRecord }) {
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
    </dl>
  );
}
