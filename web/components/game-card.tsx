/** A game with a picture that moves by itself, played by the game's own bot. */
import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { toSitePath } from "../../domain/site.ts";
import type { Game } from "../../games/game.ts";
import { formatDemoLabel, formatHoldDemo, formatRunDemo, HOME_LABELS } from "../labels/home.ts";
import { GameCanvas } from "../session/canvas.tsx";
import { startDemoRun } from "../session/demo-run.ts";
import type { Sample } from "../session/timeline.ts";
import { siteConfig } from "../site-config.ts";
import { PauseIcon, PlayIcon } from "./icons.tsx";
import { prefersReducedMotion } from "./motion.ts";
import { PixelText } from "./pixels.tsx";

interface GameCardProps {
  readonly game: Game;
  /** On the game's own page. */
  readonly isHeading?: boolean;
}

export function GameCard({ game, isHeading = false }: GameCardProps) {
  const run = useMemo(() => startDemoRun(game), [game]);
  const lastMs = useRef<number | null>(null);
  const chosenAnimated = useSignal<boolean | null>(null);
  const isAnimated = chosenAnimated.value ?? !prefersReducedMotion.value;

  const sample = (nowMs: number): Sample => {
    if (isAnimated && lastMs.current !== null) run.advance(nowMs - lastMs.current);
    lastMs.current = isAnimated ? nowMs : null;
    return run.sample();
  };
  const Heading = isHeading ? "h1" : "h3";

  return (
    <article class="game-card" style={`--world-width: ${game.world.width}; --world-height: ${game.world.height}`}>
      <div class="bezel">
        <GameCanvas game={game} isAnimated={isAnimated} sample={sample} label={formatDemoLabel(game.title)}>
          <span class="demo-mark" aria-hidden="true">
            <PixelText text={HOME_LABELS.demo} />
          </span>
          <button
            type="button"
            class="still"
            aria-label={isAnimated ? formatHoldDemo(game.title) : formatRunDemo(game.title)}
            onClick={() => {
              chosenAnimated.value = !isAnimated;
            }}
          >
            {isAnimated ? <PauseIcon /> : <PlayIcon />}
          </button>
        </GameCanvas>
      </div>
      <div class="game-card-text">
        <Heading>
          <PixelText text={game.title} />
        </Heading>
        <p>{game.description}</p>
        <p class="card-links">
          <a class="button" href={toSitePath("practice", { game: game.slug })}>
            {HOME_LABELS.practice} <span class="visually-hidden">{game.title}</span>
          </a>
          {(!isHeading || siteConfig.hasLeague) && (
            <a class="button button-quiet" href={toSitePath(isHeading ? "league" : "game", { game: game.slug })}>
              {isHeading ? HOME_LABELS.league : HOME_LABELS.more} <span class="visually-hidden">{game.title}</span>
            </a>
          )}
        </p>
      </div>
    </article>
  );
}
