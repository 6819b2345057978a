/** How the entities of a game look and what they do. */
import type { Game } from "../../games/game.ts";
import { ENTITY_CLASS_LABELS, toKindLabel, toKindText } from "../labels/games.ts";
import { EntityPicture } from "./entity-picture.tsx";

export function Legend({ game }: { readonly game: Game }) {
  return (
    <ul class="legend">
      {game.kinds.map((kind) => (
        <li key={kind.kind}>
          <EntityPicture game={game} kind={kind} />
          <div>
            <b>{toKindLabel(kind.kind)}</b>
            <span class={`kind-class kind-${kind.class}`}>{ENTITY_CLASS_LABELS[kind.class]}</span>
            <p>{toKindText(kind.description)}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
