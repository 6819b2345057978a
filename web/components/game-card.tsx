/** A game on the home page: its picture moves by itself, played by the game's own bot. */
import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { toSitePath } from "../../backend/domain/site.ts";
import type { Game } from "../../backend/games/game.ts";
import { GameCanvas } from "../session/canvas.tsx";
import { startDemoRun } from "../session/demo-run.ts";
import type { Sample } from "../session/timeline.ts";
import { PauseIcon, PlayIcon } from "./icons.tsx";
import { prefersReducedMotion } from "./motion.ts";
import { PixelText } from "./pixels.tsx";

export function GameCard({ game }: { readonly game: Game }) {
  const run = useMemo(() => startDemoRun(game), [game]);
  const lastMs = useRef<number | null>(null);
  const chosenAnimated = useSignal<boolean | null>(null);
  const isAnimated = chosenAnimated.value ?? !prefersReducedMotion.value;

  const sample = (nowMs: number): Sample => {
    if (isAnimated && lastMs.current !== null) run.advance(nowMs - lastMs.current);
    lastMs.current = isAnimated ? nowMs : null;
    return run.sample();
  };

  return (
    <article class="game-card" style={`--world-width: ${game.world.width}; --world-height: ${game.world.height}`}>
      <div class="bezel">
        <GameCanvas
          game={game}
          isAnimated={isAnimated}
          sample={sample}
          label={`${game.title}, played by its reference bot`}
        >
          <span class="demo-mark" aria-hidden="true">
            <PixelText text="Demo" />
          </span>
          <button
            type="button"
            class="still"
            aria-label={isAnimated ? `Hold the ${game.title} demo` : `Run the ${game.title} demo`}
            onClick={() => {
              chosenAnimated.value = !isAnimated;
            }}
          >
            {isAnimated ? <PauseIcon /> : <PlayIcon />}
          </button>
        </GameCanvas>
      </div>
      <div class="game-card-text">
        <h2>
          <PixelText text={game.title} />
        </h2>
        <p>{game.description}</p>
        <a class="button" href={toSitePath("practice", { game: game.slug })}>
          Practice <span class="visually-hidden">{game.title}</span>
        </a>
      </div>
    </article>
  );
}
