/** `/runs/{id}`: an ended run with its replay and the browser's checks. */

import { useMemo, useState } from "preact/hooks";
import { toPosterPath, toSitePath } from "../../domain/site.ts";
import { findGame, games } from "../../games/index.ts";
import { Load } from "../components/load.tsx";
import { PlayerLink } from "../components/player-link.tsx";
import { ErrorState } from "../components/states.tsx";
import { useLoaded } from "../components/use-loaded.ts";
import { FACT_LABELS, formatRunTitle, RUN_LABELS } from "../labels/runs.ts";
import { getPlayerName } from "../labels/session.ts";
import { SHARED_LABELS } from "../labels/shared.ts";
import type { PageProps } from "../page-props.ts";
import { Evidence, type RunChecks, useRunChecks } from "../replay/evidence.tsx";
import { type LoadedRun, loadRun } from "../replay/load-run.ts";
import { findMoments } from "../replay/moments.ts";
import { loadPlace, type Place, RunFacts, RunHead } from "../replay/run-facts.tsx";
import { RunPlayer } from "../replay/run-player.ts";
import { MomentList, Transport } from "../replay/transport.tsx";
import { GameCanvas } from "../session/canvas.tsx";
import { PlayerHud } from "../session/hud.tsx";
import { useTitle } from "../title.ts";
import { client } from "../wallet/service.ts";
import { NotFoundPage } from "./not-found.tsx";

export function RunPage({ params, query }: PageProps) {
  const sessionId = params.id ?? "";
  const otherId = query.with ?? null;
  const found = useLoaded("session", (signal) => client.sessions.getById({ sessionId }, { signal }), [sessionId]);
  const { value: place } = useLoaded("place", (signal) => loadPlace(sessionId, signal), [sessionId]);
  const loaded = useLoaded(null, (signal) => loadRun(sessionId, signal), [sessionId]);
  const other = useLoaded(null, async (signal) => (otherId === null ? null : loadRun(otherId, signal)), [otherId]);
  const record = loaded.value?.record ?? found.value?.session ?? null;
  useTitle(record === null ? null : formatRunTitle(getPlayerName(record), record.score, findTitle(record)));
  if (found.isMissing) return <NotFoundPage />;
  if (record === null) return <Load loaded={found}>{() => null}</Load>;
  const isWaiting = loaded.value === null || (otherId !== null && other.value === null && other.error === null);
  const parts = { record, place, startTick: Number(query.t) };
  return (
    <>
      {loaded.error !== null && <ErrorState text={loaded.error} onRetry={loaded.reload} />}
      {other.error !== null && <p class="notice">{RUN_LABELS.noOther}</p>}
      <Run key={`${sessionId} ${otherId}`} {...parts} loaded={isWaiting ? null : loaded.value} other={other.value} />
    </>
  );
}

const findTitle = ({ slug }: LoadedRun["record"]): string => findGame(slug)?.title ?? slug;

interface RunProps {
  readonly record: LoadedRun["record"];
  readonly place: Place | null;
  /** Null while loading: only the head and an empty picture are shown. */
  readonly loaded: LoadedRun | null;
  readonly other: LoadedRun | null;
  /** NaN to play from the start. */
  readonly startTick: number;
}

function Run({ record, place, loaded, other, startTick }: RunProps) {
  const run = loaded?.run ?? null;
  const player = useMemo(() => {
    if (run === null) return null;
    const recordings = [run.recording, ...(other?.run ? [other.run.recording] : [])];
    const isAtMoment = Number.isSafeInteger(startTick);
    return new RunPlayer(recordings, { tick: isAtMoment ? startTick : 0, isPlaying: !isAtMoment, hasGhosts: true });
  }, [run, other]);
  const replay = loaded?.replay ?? null;
  const checks = useRunChecks(replay, replay === null ? null : record);
  const head = <RunHead record={record} place={place} checks={[checks.reproduced, checks.onChain]} />;
  const game = findGame(record.slug);
  if (loaded !== null && player === null)
    return (
      <div class="run">
        {head}
        <NotShown record={record} replay={replay} checks={checks} />
      </div>
    );
  const moments = run === null ? [] : findMoments(run.recording);
  const records = [record, ...(other?.run ? [other.record] : [])];
  const { width, height } = game?.world ?? { width: 16, height: 10 };
  const isTall = height > width;
  const tallShape = records.length === 1 ? "run run-tall" : "run run-pair";
  const shape = isTall ? tallShape : "run";
  return (
    <div class={shape} style={`--world-width: ${width}; --world-height: ${height}`}>
      {head}
      <div class={`run-stage run-stage-${records.length}`}>
        {records.map((shown, index) => (
          <RunPicture key={shown.sessionId} player={player} index={index} record={shown} isNamed={records.length > 1} />
        ))}
      </div>
      <Transport player={player} moments={moments} replay={replay} />
      <RunActions player={player} record={record} place={place} isCompared={records.length > 1} />
      <div class="run-below">
        <Evidence record={record} checks={checks} />
        <MomentList player={player} moments={moments} />
        <RunFacts record={record} replay={replay} block={checks.onChain?.event?.block ?? null} />
        {player !== null && <FrameJson player={player} />}
      </div>
    </div>
  );
}

/** The frame at the chosen tick, as an agent receives it. */
function FrameJson({ player }: { readonly player: RunPlayer }) {
  const [isOpen, setOpen] = useState(false);
  const text = isOpen ? JSON.stringify(player.recordings[0]!.frameAt(player.tick.value), null, 2) : "";
  return (
    <details class="run-facts" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{FACT_LABELS.frame}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </details>
  );
}

interface RunPictureProps {
  /** Null until the replay is loaded. */
  readonly player: RunPlayer | null;
  readonly index: number;
  readonly record: LoadedRun["record"];
  readonly isNamed: boolean;
}

function RunPicture({ player, index, record, isNamed }: RunPictureProps) {
  const recording = player?.recordings[index];
  const game = recording?.game ?? findGame(record.slug) ?? games[0]!;
  const { width, height } = game.world;
  return (
    <figure class="run-picture" style={`--world-width: ${width}; --world-height: ${height}`}>
      <div class="bezel">
        <GameCanvas
          game={game}
          isAnimated={player?.isPlaying.value ?? false}
          // Redraws a paused run when another tick is chosen.
          version={player?.tick}
          sample={(nowMs) => player?.sample(index, nowMs) ?? null}
          poster={toPosterPath(record.sessionId)}
          label={`${game.title}, ${getPlayerName(record)}`}
        />
      </div>
      <figcaption>
        {isNamed && <PlayerLink player={record} />}
        <PlayerHud player={player} index={index} />
      </figcaption>
    </figure>
  );
}

interface RunActionsProps {
  readonly player: RunPlayer | null;
  readonly record: LoadedRun["record"];
  readonly place: Place | null;
  readonly isCompared: boolean;
}

function RunActions({ player, record, place, isCompared }: RunActionsProps) {
  const [copyText, setCopyText] = useState<string>(RUN_LABELS.copyLink);
  const path = toSitePath("run", { id: record.sessionId });
  const copy = async (): Promise<void> => {
    const tick = player?.tick.peek() ?? 0;
    const link = `${location.origin}${path}?t=${tick}`;
    try {
      await navigator.clipboard.writeText(link);
      setCopyText(SHARED_LABELS.copied);
    } catch {
      // The address bar then has the link.
      history.replaceState(history.state, "", `${path}?t=${tick}`);
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
        place?.rivalId != null && (
          <a class="button button-quiet" href={`${path}?with=${place.rivalId}`}>
            {place.rank === 1 ? RUN_LABELS.compareSecond : RUN_LABELS.compare}
          </a>
        )
      )}
      <a class="button button-quiet" href={toSitePath("runs")}>
        {RUN_LABELS.allRuns}
      </a>
    </p>
  );
}

interface NotShownProps {
  readonly record: LoadedRun["record"];
  readonly replay: LoadedRun["replay"];
  readonly checks: RunChecks;
}

/** A run that cannot be replayed, with the browser's checks if it has a replay file. */
function NotShown({ record, replay, checks }: NotShownProps) {
  if (replay !== null)
    return (
      <>
        <p class="quiet">{RUN_LABELS.unknownRules}</p>
        <div class="run-below">
          <Evidence record={record} checks={checks} />
          <RunFacts record={record} replay={replay} block={checks.onChain?.event?.block ?? null} />
        </div>
      </>
    );
  const isRunning = record.phase !== "ended";
  return (
    <>
      <p>{isRunning ? RUN_LABELS.stillRunning : RUN_LABELS.noReplay}</p>
      {isRunning && (
        <p>
          <a class="button" href={toSitePath("watch", { id: record.sessionId })}>
            {RUN_LABELS.watchLive}
          </a>
        </p>
      )}
    </>
  );
}
