/** The numbers around a running game. */
import type { PlayFrame } from "../../games/game.ts";
import { EyeIcon, HeartIcon } from "../components/icons.tsx";
import { PixelText } from "../components/pixels.tsx";
import { formatLives, HUD_LABELS, PHASE_LABELS } from "../labels/session.ts";
import type { RunPlayer } from "../replay/run-player.ts";

interface HudProps {
  /** The best score of today or of all time, shown while the run is below it. */
  readonly recordToBeat?: number | null;
  /** The rank that the score would have today. */
  readonly rank?: number | null;
  readonly frame: PlayFrame | null;
  /** Off in practice, which has no spectators. */
  readonly showSpectators: boolean;
}

export function Hud({ frame, showSpectators, recordToBeat = null, rank = null }: HudProps) {
  if (frame === null) return <div class="hud hud-empty" />;
  const { score, lives, livesMax, phase, spectators } = frame;
  return (
    <div class="hud">
      <div class="hud-score">
        <span class="hud-name">{HUD_LABELS.score}</span>
        <PixelText class="digits" text={String(score.current)} />
      </div>
      {score.high > score.current && (
        <div class="hud-high">
          <span class="hud-name">{HUD_LABELS.best}</span>
          <PixelText class="digits" text={String(score.high)} />
        </div>
      )}
      <div class="hud-lives">
        <span class="hud-name">{HUD_LABELS.lives}</span>
        <span class="hearts">
          <span class="visually-hidden">{formatLives(lives, livesMax)}</span>
          {Array.from({ length: livesMax }, (_, i) => (
            <span key={i} class={i < lives ? "heart" : "heart heart-lost"}>
              <HeartIcon />
            </span>
          ))}
        </span>
      </div>
      <HungerBar hunger={frame.hunger} hungerMax={frame.hungerMax} />
      <div class="hud-tick">
        <span class="hud-name">{HUD_LABELS.tick}</span>
        <output data-tick={frame.tick}>{frame.tick}</output>
      </div>
      {rank !== null && (
        <div class="hud-tick hud-rank">
          <span class="hud-name">{HUD_LABELS.rank}</span>
          <b>{rank}</b>
        </div>
      )}
      {recordToBeat !== null && (
        <div class="hud-tick hud-record">
          <span class="hud-name">
            {score.current > recordToBeat ? HUD_LABELS.recordBeaten : HUD_LABELS.recordToBeat}
          </span>
          <b>{recordToBeat}</b>
        </div>
      )}
      <div class={`phase phase-${phase}`} data-phase={phase}>
        {PHASE_LABELS[phase] ?? phase}
      </div>
      {showSpectators && spectators.max > 0 && (
        <div class="hud-audience">
          <EyeIcon />
          <span class="visually-hidden">{HUD_LABELS.spectators}</span>
          {`${spectators.current}/${spectators.max}`}
        </div>
      )}
    </div>
  );
}

/** The HUD of a recorded run. `player`: null until its replay is loaded. */
export const PlayerHud = ({ player, index = 0 }: { readonly player: RunPlayer | null; readonly index?: number }) => (
  <Hud frame={player?.recordings[index]?.frameAt(player.tick.value) ?? null} showSpectators={false} />
);

/** The bar shows a warning from this fraction on. */
const HUNGER_WARNING_FRACTION = 0.7;

function HungerBar({ hunger, hungerMax }: { readonly hunger: number; readonly hungerMax: number }) {
  const fraction = Math.min(1, hunger / hungerMax);
  return (
    <div class="hud-hunger">
      <label class="hud-name" for="hunger">
        {HUD_LABELS.hunger}
      </label>
      <meter class="visually-hidden" id="hunger" min={0} max={hungerMax} value={hunger} />
      <div class={fraction >= HUNGER_WARNING_FRACTION ? "bar bar-urgent" : "bar"} aria-hidden="true">
        <span style={`--share: ${fraction}`} />
      </div>
    </div>
  );
}
