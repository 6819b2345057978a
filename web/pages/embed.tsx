/** `/embed/{run}` and `/embed/live`: a run in a frame of another site. Its links open the site in a tab. */
import { LIVE_EMBED, SITE_NAME } from "../../domain/site.ts";
import { Load } from "../components/load.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { findBest, loadLive, loadStandings } from "../home/load-stage.ts";
import { LiveStage, PosterStage, RecordedStage, Stage } from "../home/stage.tsx";
import { useStageRun } from "../home/use-stage-run.ts";
import { SESSION_LABELS } from "../labels/session.ts";
import { loadRun } from "../replay/load-run.ts";
import { client } from "../wallet/service.ts";

const LIVE_POLL_MS = 5000;

/** `id`: a run's id, or `LIVE_EMBED`. */
export const EmbedPage = ({ id }: { readonly id: string }) => (
  <main class="embed">
    <h1 class="visually-hidden">{SITE_NAME}</h1>
    {id === LIVE_EMBED ? <BestEmbed /> : <RunEmbed sessionId={id} />}
  </main>
);

function BestEmbed() {
  const live = useLoaded("live", loadLive, [], LIVE_POLL_MS);
  const { value: standings } = useLoaded("standings", loadStandings, []);
  const run = useStageRun(live.value);
  if (run === null) return <PosterStage best={standings === null ? null : findBest(standings)} />;
  return <Stage run={run} records={standings?.records ?? []} />;
}

function RunEmbed({ sessionId }: { readonly sessionId: string }) {
  const found = useLoaded("session", (signal) => client.sessions.getById({ sessionId }, { signal }), [sessionId]);
  const record = found.value?.session ?? null;
  const hasReplay = record?.replay?.available === true;
  const { value } = useLoaded(null, async (signal) => (hasReplay ? loadRun(sessionId, signal) : null), [hasReplay]);
  if (found.isMissing) return <p class="quiet">{SESSION_LABELS.missing}</p>;
  if (record === null) return <Load loaded={found}>{() => null}</Load>;
  if (!hasReplay) return <LiveStage record={record} posterId={null} isAlone />;
  if (value?.run == null) return <PosterStage best={record} />;
  return <RecordedStage record={record} recording={value.run.recording} />;
}
