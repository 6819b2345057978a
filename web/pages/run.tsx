/** `/runs/{id}`: an ended run, to be watched again and to be checked. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { toSitePath } from "../../domain/site.ts";
import { findGame } from "../../games/index.ts";
import { Load } from "../components/load.tsx";
import { PlayerLink } from "../components/player-link.tsx";
import { ErrorState } from "../components/states.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { formatRunTitle, RUN_LABELS } from "../labels/runs.ts";
import { getPlayerName } from "../labels/session.ts";
import { formatDateTime, SHARED_LABELS } from "../labels/shared.ts";
import type { PageProps } from "../page-props.ts";
import { Evidence } from "../replay/evidence.tsx";
import { type LoadedRun, loadRun } from "../replay/load-run.ts";
import { findMoments } from "../replay/moments.ts";
import type { Recording } from "../replay/recording.ts";
import { RunPlayer } from "../replay/run-player.ts";
import { MomentList, Transport } from "../replay/transport.tsx";
import { GameCanvas } from "../session/canvas.tsx";
import { Hud } from "../session/hud.tsx";
import { useTitle } from "../title.ts";
import { client } from "../wallet/service.ts";
import { NotFoundPage } from "./not-found.tsx";

export function RunPage({ params, query }: PageProps) {
  const sessionId = params.id ?? "";
  const otherId = query.with ?? null;
  const loaded = useLoaded(
    (signal) => Promise.all([loadRun(sessionId, signal), otherId === null ? null : loadRun(otherId, signal)]),
    [sessionId, otherId],
  );
  if (loaded.isMissing) return <NotFoundPage />;
  return (
    <Load loaded={loaded}>
      {([run, other]) => <Run key={`${sessionId} ${otherId}`} loaded={run} other={other} startTick={Number(query.t)} />}
    </Load>
  );
}

interface RunProps {
  readonly loaded: LoadedRun;
  readonly other: LoadedRun | null;
  /** NaN: from the start. */
  readonly startTick: number;
}

function Run({ loaded, other, startTick }: RunProps) {
  const { record, run } = loaded;
  const player = useMemo(() => {
    if (run === null) return null;
    const recordings = [run.recording, ...(other?.run ? [other.run.recording] : [])];
    const isAtMoment = Number.isSafeInteger(startTick);
    return new RunPlayer(recordings, { tick: isAtMoment ? startTick : 0, isPlaying: !isAtMoment });
  }, [run, other]);
  useTitle(run === null ? null : formatRunTitle(getPlayerName(record), record.score, run.recording.game.title));
  if (player === null || run === null) return <NotShown loaded={loaded} />;
  const moments = findMoments(run.recording);
  const records = [record, ...(other?.run ? [other.record] : [])];
  const { width, height } = run.recording.game.world;
  return (
    <div
      class={isTall(run.recording) && records.length === 1 ? "run run-tall" : "run"}
      style={`--world-width: ${width}; --world-height: ${height}`}
    >
      <div class="run-head">
        <h1>
          <PlayerLink player={record} />
          <span class="at">{run.recording.game.title}</span>
        </h1>
        {record.endedAt !== null && <p class="quiet">{`${RUN_LABELS.ended} ${formatDateTime(record.endedAt)}`}</p>}
      </div>
      <div class={`run-stage run-stage-${records.length}`}>
        {records.map((shown, index) => (
          <RunPicture key={shown.sessionId} player={player} index={index} record={shown} />
        ))}
      </div>
      <Transport player={player} moments={moments} />
      <RunActions player={player} record={record} isCompared={records.length > 1} />
      <div class="run-below">
        <Evidence replay={run.replay} record={record} />
        <MomentList player={player} moments={moments} />
      </div>
    </div>
  );
}

const isTall = ({ game: { world } }: Recording): boolean => world.height > world.width;

interface RunPictureProps {
  readonly player: RunPlayer;
  readonly index: number;
  readonly record: LoadedRun["record"];
}

function RunPicture({ player, index, record }: RunPictureProps) {
  const { game } = player.recordings[index]!;
  const frame = player.recordings[index]!.frameAt(player.tick.value);
  const { width, height } = game.world;
  return (
    <figure class="run-picture" style={`--world-width: ${width}; --world-height: ${height}`}>
      <div class="bezel">
        <GameCanvas
          game={game}
          isAnimated={player.isPlaying.value}
          // Drawn again where the run is held and another tick is chosen.
          version={player.tick.value}
          sample={(nowMs) => player.sample(index, nowMs)}
          label={`${game.title}, ${getPlayerName(record)}`}
        />
      </div>
      <figcaption>
        {index > 0 && <PlayerLink player={record} />}
        <Hud frame={frame} showSpectators={false} />
      </figcaption>
    </figure>
  );
}

interface RunActionsProps {
  readonly player: RunPlayer;
  readonly record: LoadedRun["record"];
  readonly isCompared: boolean;
}

function RunActions({ player, record, isCompared }: RunActionsProps) {
  const [copyText, setCopyText] = useState<string>(RUN_LABELS.copyLink);
  const [bestId, setBestId] = useState<string | null>(null);
  const { route } = useLocation();
  const path = toSitePath("run", { id: record.sessionId });
  useEffect(() => {
    const controller = new AbortController();
    client.games
      .runs({ slug: record.slug, sort: "top", limit: 2 }, { signal: controller.signal })
      .then(({ items }) => setBestId(items.find(({ sessionId }) => sessionId !== record.sessionId)?.sessionId ?? null))
      .catch(() => undefined);
    return () => controller.abort();
  }, [record.sessionId]);
  const copy = async (): Promise<void> => {
    const link = `${location.origin}${path}?t=${player.tick.value}`;
    try {
      await navigator.clipboard.writeText(link);
      setCopyText(SHARED_LABELS.copied);
    } catch {
      // The address bar holds the link then.
      route(`${path}?t=${player.tick.value}`, true);
      setCopyText(SHARED_LABELS.copyByHand);
    }
  };
  return (
    <p class="run-actions">
      <button type="button" class="button button-quiet" onClick={() => void copy()}>
        {copyText}
      </button>
      {isCompared ? (
        <a class="button button-quiet" href={path}>
          {RUN_LABELS.compareEnd}
        </a>
      ) : (
        bestId !== null && (
          <a class="button button-quiet" href={`${path}?with=${bestId}`}>
            {RUN_LABELS.compare}
          </a>
        )
      )}
      <a class="button button-quiet" href={toSitePath("runs")}>
        {RUN_LABELS.allRuns}
      </a>
    </p>
  );
}

/** A run that cannot be watched again; with a replay, what the browser finds out about it all the same. */
function NotShown({ loaded: { record, replay } }: { readonly loaded: LoadedRun }) {
  if (replay !== null)
    return (
      <div class="run">
        <div class="run-head">
          <h1>
            <PlayerLink player={record} />
            <span class="at">{findGame(record.slug)?.title ?? record.slug}</span>
          </h1>
          <p class="quiet">{RUN_LABELS.unknownRules}</p>
        </div>
        <div class="run-below">
          <Evidence replay={replay} record={record} />
        </div>
      </div>
    );
  const isRunning = record.phase !== "ended";
  return (
    <>
      <ErrorState title={getPlayerName(record)} text={isRunning ? RUN_LABELS.stillRunning : RUN_LABELS.noReplay} />
      {isRunning && (
        <a class="button" href={toSitePath("watch", { id: record.sessionId })}>
          {RUN_LABELS.watchLive}
        </a>
      )}
    </>
  );
}
