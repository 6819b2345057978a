/** The numbers around a running game. */
import type { PlayFrame } from "../../backend/games/game.ts";
import { EyeIcon, HeartIcon } from "../components/icons.tsx";
import { PixelText } from "../components/pixels.tsx";
import { PHASE_LABELS } from "../labels/session.ts";

interface HudProps {
  readonly frame: PlayFrame | null;
  /** Practice has no audience to speak of. */
  readonly showSpectators: boolean;
}

export function Hud({ frame, showSpectators }: HudProps) {
  if (frame === null) return <div class="hud hud-empty" />;
  const { score, lives, livesMax, phase, spectators } = frame;
  return (
    <div class="hud">
      <div class="hud-score">
        <span class="hud-name">Score</span>
        <PixelText class="digits" text={String(score.current)} />
      </div>
      <div class="hud-high">
        <span class="hud-name">Best</span>
        <PixelText class="digits" text={String(score.high)} />
      </div>
      <div class="hud-lives">
        <span class="hud-name">Lives</span>
        <span class="hearts">
          <span class="visually-hidden">{`${lives} of ${livesMax}`}</span>
          {Array.from({ length: livesMax }, (_, i) => (
            <span key={i} class={i < lives ? "heart" : "heart heart-lost"}>
              <HeartIcon />
            </span>
          ))}
        </span>
      </div>
      <HungerBar hunger={frame.hunger} hungerMax={frame.hungerMax} />
      <div class={`phase phase-${phase}`} data-phase={phase}>
        {PHASE_LABELS[phase] ?? phase}
      </div>
      {showSpectators && spectators.max > 0 && (
        <div class="hud-audience">
          <EyeIcon />
          <span class="visually-hidden">Spectators: </span>
          {`${spectators.current}/${spectators.max}`}
        </div>
      )}
    </div>
  );
}

/** From here on the bar warns. */
const HUNGER_WARNING_FRACTION = 0.7;

function HungerBar({ hunger, hungerMax }: { readonly hunger: number; readonly hungerMax: number }) {
  const fraction = Math.min(1, hunger / hungerMax);
  return (
    <div class="hud-hunger">
      <label class="hud-name" for="hunger">
        Hunger
      </label>
      <meter class="visually-hidden" id="hunger" min={0} max={hungerMax} value={hunger} />
      <div class={fraction >= HUNGER_WARNING_FRACTION ? "bar bar-urgent" : "bar"} aria-hidden="true">
        <span style={`--share: ${fraction}`} />
      </div>
    </div>
  );
}
