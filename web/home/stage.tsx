/** The first picture of the site: the best live run, or a recorded one if no session is running, or a demo. */
import { useComputed } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { SessionRecord } from "../../client/api.ts";
import { toPosterPath, toSitePath } from "../../domain/site.ts";
import { findGame, games } from "../../games/index.ts";
import { GameCard } from "../components/game-card.tsx";
import { prefersReducedMotion } from "../components/motion.ts";
import { PixelText } from "../components/pixels.tsx";
import { PlayerLink } from "../components/player-link.tsx";
import { formatStageLabel, HOME_LABELS } from "../labels/home.ts";
import { getPlayerName, HUD_LABELS } from "../labels/session.ts";
import type { Recording } from "../replay/recording.ts";
import { RunPlayer } from "../replay/run-player.ts";
import { GameCanvas } from "../session/canvas.tsx";
import { Hud, PlayerHud } from "../session/hud.tsx";
import { Overlay } from "../session/overlay.tsx";
import { SessionView } from "../session/session-view.ts";
import type { BestRun, StageRun, Standings } from "./load-stage.ts";

interface StageProps extends Pick<Standings, "records"> {
  readonly run: StageRun;
}

export function Stage({ run, records }: StageProps) {
  if (run.kind === "demo") return <GameCard game={games[0]!} />;
  if (run.kind === "live") {
    const record = records.find(({ slug }) => slug === run.record.slug)?.run ?? null;
    return <LiveStage key={run.record.sessionId} record={run.record} posterId={record?.sessionId ?? null} />;
  }
  return <RecordedStage key={run.record.sessionId} record={run.record} recording={run.recording} />;
}

type PosterRun = Pick<BestRun, "sessionId" | "slug" | "score" | "agentId" | "agentName"> & {
  readonly walletAddress: string | null;
};

/** Before anything plays: the run as a picture that the server has drawn. */
export function PosterStage({ best }: { readonly best: PosterRun | null }) {
  const game = findGame(best?.slug ?? "");
  if (best === null || game === undefined) return <div class="stage stage-empty" aria-busy="true" />;
  return (
    <StageFrame
      record={{ ...best, source: "agent_api" }}
      mark={HOME_LABELS.recorded}
      href={toSitePath("run", { id: best.sessionId })}
    >
      <div class="screen">
        <img
          class="poster"
          src={toPosterPath(best.sessionId)}
          alt={formatStageLabel(game.title, getPlayerName({ ...best, source: "agent_api" }))}
          width={game.world.width}
          height={game.world.height}
          fetchpriority="high"
        />
        <StageMark text={HOME_LABELS.recorded} />
      </div>
      <div class="hud hud-poster">
        <div class="hud-score">
          <span class="hud-name">{HUD_LABELS.finalScore}</span>
          <PixelText class="digits" text={String(best.score)} />
        </div>
      </div>
    </StageFrame>
  );
}

interface LiveStageProps {
  readonly record: SessionRecord;
  /** The game's best run, whose picture is shown until the live one arrives. */
  readonly posterId: string | null;
  /** Whether no other element describes the state of the run. */
  readonly isAlone?: boolean;
}

export function LiveStage({ record, posterId, isAlone = false }: LiveStageProps) {
  const game = findGame(record.slug)!;
  const view = useMemo(() => new SessionView(game, record.sessionId), [record.sessionId]);
  useEffect(() => {
    void view.watch();
    return () => view.leave();
  }, [view]);
  return (
    <StageFrame record={record} mark={HOME_LABELS.live} href={toSitePath("watch", { id: record.sessionId })}>
      <GameCanvas
        game={game}
        isAnimated
        sample={(nowMs) => view.sample(nowMs)}
        label={formatStageLabel(game.title, getPlayerName(record))}
        {...(posterId === null ? {} : { poster: toPosterPath(posterId) })}
      >
        <LiveMark view={view} />
        {isAlone && <Overlay sessionView={view} />}
      </GameCanvas>
      <LiveHud view={view} />
    </StageFrame>
  );
}

// The only part of the stage that renders with every frame of the game.
const LiveHud = ({ view }: { readonly view: SessionView }) => (
  <Hud frame={view.sessionState.value.frame.value} showSpectators />
);

function LiveMark({ view }: { readonly view: SessionView }) {
  const isConnected = useComputed(() => view.sessionState.value.frame.value !== null).value;
  return <StageMark text={isConnected ? HOME_LABELS.live : HOME_LABELS.connecting} isLive />;
}

interface RecordedStageProps {
  readonly record: SessionRecord;
  readonly recording: Recording;
}

/** The end of a run is its most exciting part. */
const SHOWN_SECONDS = 40;

export function RecordedStage({ record, recording }: RecordedStageProps) {
  const { game } = recording;
  const startTick = Math.max(0, recording.ticks - SHOWN_SECONDS * recording.tickHz);
  const player = useMemo(
    () => new RunPlayer([recording], { tick: startTick, isPlaying: !prefersReducedMotion.value }),
    [recording],
  );
  const endedMs = useRef<number | null>(null);
  const sample = (nowMs: number) => {
    const shown = player.sample(0, nowMs);
    if (player.tick.value < player.ticks) endedMs.current = null;
    else endedMs.current ??= nowMs;
    if (endedMs.current !== null && nowMs - endedMs.current > 2000 && !prefersReducedMotion.value) {
      player.seek(startTick);
      player.isPlaying.value = true;
    }
    return shown;
  };
  return (
    <StageFrame record={record} mark={HOME_LABELS.recorded} href={toSitePath("run", { id: record.sessionId })}>
      <GameCanvas
        game={game}
        isAnimated={!prefersReducedMotion.value}
        sample={sample}
        label={formatStageLabel(game.title, getPlayerName(record))}
        poster={toPosterPath(record.sessionId)}
      >
        <StageMark text={HOME_LABELS.recorded} />
      </GameCanvas>
      <PlayerHud player={player} />
    </StageFrame>
  );
}

const StageMark = ({ text, isLive = false }: { readonly text: string; readonly isLive?: boolean }) => (
  <span class={isLive ? "demo-mark live-mark" : "demo-mark"} aria-hidden="true">
    <PixelText text={text} />
  </span>
);

interface StageFrameProps {
  readonly record: Parameters<typeof PlayerLink>[0]["player"] & { readonly slug: string };
  readonly mark: string;
  readonly href: string;
  readonly children: preact.ComponentChildren;
}

function StageFrame({ record, mark, href, children }: StageFrameProps) {
  const game = findGame(record.slug)!;
  const { width, height } = game.world;
  const [canvas, hud] = children as readonly preact.ComponentChildren[];
  const shape = height > width ? "stage-tall" : "stage-wide";
  return (
    <section class={`stage ${shape}`} aria-label={mark} style={`--world-width: ${width}; --world-height: ${height}`}>
      <div class="bezel">{canvas}</div>
      <div class="stage-text">
        <p class="stage-who">
          <PlayerLink player={record} />
          <span class="quiet">{game.title}</span>
        </p>
        {hud}
        <p class="actions">
          <a class="button" href={href}>
            {mark === HOME_LABELS.live ? HOME_LABELS.watch : HOME_LABELS.replay}
          </a>
          <a class="button button-quiet" href={toSitePath("practice", { game: record.slug })}>
            {HOME_LABELS.playYourself}
          </a>
        </p>
      </div>
    </section>
  );
}
