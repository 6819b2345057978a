/** A game on the home page: its picture moves by itself, played by the game's own bot. */
import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { Game } from "../../backend/games/game.ts";
import { PauseIcon, PlayIcon } from "../parts/icons.tsx";
import { Pixels } from "../parts/pixels.tsx";
import { practisePath } from "../router.ts";
import { startMidRun } from "../stage/local-run.ts";
import { Screen } from "../stage/screen.tsx";
import type { Sample } from "../stage/timeline.ts";
import { reducedMotion } from "./motion.ts";

export function Cabinet({ game }: { readonly game: Game }) {
  const run = useMemo(() => startMidRun(game), [game]);
  const lastMs = useRef<number | null>(null);
  const chosen = useSignal<boolean | null>(null);
  const moving = chosen.value ?? !reducedMotion.value;

  const sample = (nowMs: number): Sample => {
    if (moving && lastMs.current !== null) run.advance(nowMs - lastMs.current);
    lastMs.current = moving ? nowMs : null;
    return run.sample();
  };

  return (
    <article class="cabinet" style={`--world-width: ${game.world.width}; --world-height: ${game.world.height}`}>
      <div class="bezel">
        <Screen game={game} moving={moving} sample={sample} label={`${game.title}, played by its reference bot`}>
          <span class="demo-mark" aria-hidden="true">
            <Pixels text="Demo" />
          </span>
          <button
            type="button"
            class="still"
            aria-label={moving ? `Hold the ${game.title} demo` : `Run the ${game.title} demo`}
            onClick={() => {
              chosen.value = !moving;
            }}
          >
            {moving ? <PauseIcon /> : <PlayIcon />}
          </button>
        </Screen>
      </div>
      <div class="cabinet-words">
        <h2>
          <Pixels text={game.title} />
        </h2>
        <p>{game.description}</p>
        <a class="button" href={practisePath(game.slug)}>
          Practise <span class="unseen">{game.title}</span>
        </a>
      </div>
    </article>
  );
}
