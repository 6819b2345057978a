/** Where one session is shown: a wide picture stands above its numbers' side column, a tall one beside them. */
import type { ComponentChildren } from "preact";
import type { Game } from "../../backend/games/game.ts";

interface LayoutProps {
  readonly game: Game;
  readonly heading: string;
  readonly note: ComponentChildren;
  readonly hud: ComponentChildren;
  readonly canvas: ComponentChildren;
  readonly toolbar?: ComponentChildren;
  readonly sidebar: ComponentChildren;
}

export function Layout({ game, heading, note, hud, canvas, toolbar, sidebar }: LayoutProps) {
  const { width, height } = game.world;
  const shapeClass = height > width ? "layout-tall" : "layout-wide";
  return (
    <div class={`layout ${shapeClass}`} style={`--world-width: ${width}; --world-height: ${height}`}>
      <div class="layout-head">
        <h1>
          <span class="who">{heading}</span>
          <span class="at">{game.title}</span>
        </h1>
        {note}
      </div>
      <div class="layout-hud">{hud}</div>
      <div class="layout-canvas bezel">{canvas}</div>
      {toolbar !== undefined && <div class="layout-toolbar">{toolbar}</div>}
      <aside class="layout-side">{sidebar}</aside>
    </div>
  );
}
