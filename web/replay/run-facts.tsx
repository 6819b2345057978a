/** The heading of a run, its score, and facts to copy. */
import type { SessionRecord } from "../../client/api.ts";
import type { Replay } from "../../domain/replay/replay.ts";
import { toSitePath } from "../../domain/site.ts";
import { findGame } from "../../games/index.ts";
import { CopyText } from "../components/copy-text.tsx";
import { PlayerLink } from "../components/player-link.tsx";
import { FACT_LABELS, formatPlace, RUN_LABELS, VERDICT_LABELS } from "../labels/runs.ts";
import { getEndReasonLabel } from "../labels/session.ts";
import { formatDateTime, formatNumber } from "../labels/shared.ts";
import { client } from "../wallet/service.ts";
import type { Check } from "./check-run.ts";

/** A run's rank among the best of its game. `rivalId`: the best other run. */
export interface Place {
  readonly rank: number | null;
  readonly rivalId: string | null;
}

const RANKS_MAX = 100;

export async function loadPlace(sessionId: string, signal: AbortSignal): Promise<Place> {
  const { session } = await client.sessions.getById({ sessionId }, { signal });
  const { items } = await client.games.runs({ slug: session.slug, sort: "top", limit: RANKS_MAX }, { signal });
  const index = items.findIndex((run) => run.sessionId === sessionId);
  const rival = items.find((run) => run.sessionId !== sessionId);
  return { rank: index < 0 ? null : index + 1, rivalId: rival?.sessionId ?? null };
}

interface RunHeadProps {
  readonly record: SessionRecord;
  readonly place: Place | null;
  /** The results of this browser's checks; null while a check runs. */
  readonly checks: readonly (Check | null)[];
}

/** The worst of the checks decides. */
function getVerdict(checks: RunHeadProps["checks"]): Check["verdict"] | "running" {
  const verdicts = checks.map((check) => check?.verdict ?? "running");
  return (["failed", "running", "open", "ok"] as const).find((verdict) => verdicts.includes(verdict)) ?? "running";
}

export function RunHead({ record, place, checks }: RunHeadProps) {
  const verdict = getVerdict(checks);
  const title = findGame(record.slug)?.title ?? record.slug;
  return (
    <div class="run-head">
      <h1>
        <PlayerLink player={record} />
        <span class="at">{title}</span>
      </h1>
      <p class="run-result">
        <b>{RUN_LABELS.points(formatNumber(record.score))}</b>
        {place?.rank != null && <span>{formatPlace(place.rank, title)}</span>}
        {record.phase === "ended" && <span class={`check-${verdict}`}>{VERDICT_LABELS[verdict]}</span>}
      </p>
      {record.endedAt !== null && (
        <p class="quiet">
          {`${getEndReasonLabel(record.endReason ?? "")} ${RUN_LABELS.ended} `}
          <time dateTime={record.endedAt}>{formatDateTime(record.endedAt)}</time>
        </p>
      )}
    </div>
  );
}

interface RunFactsProps {
  readonly record: SessionRecord;
  readonly replay: Replay | null;
  readonly block: number | null;
}

export function RunFacts({ record, replay, block }: RunFactsProps) {
  const { snapshot } = record;
  const facts: readonly (readonly [name: string, text: string | null | undefined, href?: string])[] = [
    [FACT_LABELS.session, record.sessionId],
    [FACT_LABELS.wallet, record.walletAddress, toSitePath("address", { address: record.walletAddress ?? "" })],
    [FACT_LABELS.rules, replay && `${record.slug} v${replay.rulesVersion}`],
    [FACT_LABELS.seed, replay?.seed],
    [FACT_LABELS.commitment, record.seedCommitment],
    [FACT_LABELS.digest, record.replay?.digest],
    [FACT_LABELS.hash, snapshot.gameSessionHash],
    [FACT_LABELS.transaction, snapshot.txHash, toSitePath("tx", { hash: snapshot.txHash ?? "" })],
    [FACT_LABELS.block, block?.toString()],
  ];
  return (
    <details class="run-facts">
      <summary>{FACT_LABELS.title}</summary>
      <dl>
        {facts.map(([name, value, href]) =>
          value == null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <CopyText text={value} label={name} href={href} />
              </dd>
            </div>
          ),
        )}
      </dl>
    </details>
  );
}
