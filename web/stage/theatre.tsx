/** Where one session is shown: a wide picture stands above its numbers' side column, a tall one beside them. */
import type { ComponentChildren } from "preact";
import type { Game } from "../../backend/games/game.ts";

interface TheatreProps {
  readonly game: Game;
  readonly who: string;
  readonly note: ComponentChildren;
  readonly hud: ComponentChildren;
  readonly screen: ComponentChildren;
  readonly desk?: ComponentChildren;
  readonly side: ComponentChildren;
}

export function Theatre({ game, who, note, hud, screen, desk, side }: TheatreProps) {
  const { width, height } = game.world;
  const shape = height > width ? "theatre-tall" : "theatre-wide";
  return (
    <div class={`theatre ${shape}`} style={`--world-width: ${width}; --world-height: ${height}`}>
      <div class="theatre-head">
        <h1>
          <span class="who">{who}</span>
          <span class="at">{game.title}</span>
        </h1>
        {note}
      </div>
      <div class="theatre-hud">{hud}</div>
      <div class="theatre-stage bezel">{screen}</div>
      {desk !== undefined && <div class="theatre-desk">{desk}</div>}
      <aside class="theatre-side">{side}</aside>
    </div>
  );
}
