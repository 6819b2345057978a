/** The numbers around a running game. */
import type { PlayFrame } from "../../backend/games/game.ts";
import { EyeIcon, HeartIcon } from "../parts/icons.tsx";
import { Pixels } from "../parts/pixels.tsx";
import { PHASE_WORDS } from "../words.ts";

interface HudProps {
  readonly frame: PlayFrame | null;
  /** Practice has no audience to speak of. */
  readonly audience: boolean;
}

export function Hud({ frame, audience }: HudProps) {
  if (frame === null) return <div class="hud hud-empty" />;
  const { score, lives, livesMax, phase, spectators } = frame;
  return (
    <div class="hud">
      <div class="hud-score">
        <span class="hud-name">Score</span>
        <Pixels class="digits" text={String(score.current)} />
      </div>
      <div class="hud-high">
        <span class="hud-name">Best</span>
        <Pixels class="digits" text={String(score.high)} />
      </div>
      <div class="hud-lives">
        <span class="hud-name">Lives</span>
        <span class="hearts">
          <span class="unseen">{`${lives} of ${livesMax}`}</span>
          {Array.from({ length: livesMax }, (_, i) => (
            <span key={i} class={i < lives ? "heart" : "heart heart-lost"}>
              <HeartIcon />
            </span>
          ))}
        </span>
      </div>
      <HungerBar hunger={frame.hunger} hungerMax={frame.hungerMax} />
      <div class={`phase phase-${phase}`} data-phase={phase}>
        {PHASE_WORDS[phase] ?? phase}
      </div>
      {audience && spectators.max > 0 && (
        <div class="hud-audience">
          <EyeIcon />
          <span class="unseen">Spectators: </span>
          {`${spectators.current}/${spectators.max}`}
        </div>
      )}
    </div>
  );
}

/** From here on the bar warns. */
const HUNGRY_SHARE = 0.7;

function HungerBar({ hunger, hungerMax }: { readonly hunger: number; readonly hungerMax: number }) {
  const share = Math.min(1, hunger / hungerMax);
  return (
    <div class="hud-hunger">
      <label class="hud-name" for="hunger">
        Hunger
      </label>
      <meter class="unseen" id="hunger" min={0} max={hungerMax} value={hunger} />
      <div class={share >= HUNGRY_SHARE ? "bar bar-urgent" : "bar"} aria-hidden="true">
        <span style={`--share: ${share}`} />
      </div>
    </div>
  );
}
