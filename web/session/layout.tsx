/** The layout of one session: the numbers are below a wide picture and next to a tall one. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Game } from "../../games/game.ts";
import { PlayerLink } from "../components/player-link.tsx";
import { FullScreenButton } from "./full-screen-button.tsx";

interface LayoutProps {
  readonly game: Game;
  readonly heading: string;
  /** Shown with the portrait, instead of the heading. */
  readonly player?: Parameters<typeof PlayerLink>[0]["player"] | undefined;
  readonly note: ComponentChildren;
  readonly hud: ComponentChildren;
  readonly canvas: ComponentChildren;
  readonly toolbar?: ComponentChildren;
  readonly sidebar: ComponentChildren;
}

export function Layout({ game, heading, player, note, hud, canvas, toolbar, sidebar }: LayoutProps) {
  const { width, height } = game.world;
  const canvasBox = useRef<HTMLDivElement>(null);
  const shapeClass = height > width ? "layout-tall" : "layout-wide";
  return (
    <div class={`layout ${shapeClass}`} style={`--world-width: ${width}; --world-height: ${height}`}>
      <div class="layout-head">
        <h1>
          <span class="who">{player === undefined ? heading : <PlayerLink player={player} />}</span>
          <span class="at">{game.title}</span>
        </h1>
        {note}
      </div>
      <div class="layout-hud">{hud}</div>
      <div class="layout-canvas bezel" ref={canvasBox}>
        {canvas}
        <FullScreenButton target={canvasBox} />
      </div>
      {toolbar !== undefined && <div class="layout-toolbar">{toolbar}</div>}
      <aside class="layout-side">{sidebar}</aside>
    </div>
  );
}
