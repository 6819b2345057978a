/** One kind of entity as the game draws it, cut out of a picture of the game. */
import { useEffect, useRef } from "preact/hooks";
import type { Entity, EntityKind, Game } from "../../games/game.ts";
import { toPlayFrame } from "../../games/play-frame.ts";
import { drawSample } from "../session/drawing.ts";

const SIZE = 96;
/** The picture's size relative to the entity's, which leaves a margin. */
const MARGIN = 1.35;
/** The longest side shown, as a multiple of the shorter one. */
const LENGTH_MAX = 3;
const SEED_BYTES = 32;

/** A frame of the game with a single entity in the middle of the world. */
function createFrame(game: Game, kind: EntityKind) {
  const frame = toPlayFrame(game, game.init(new Uint8Array(SEED_BYTES), game.tickHz));
  const { width, height } = game.world;
  const entity: Entity = {
    id: 1,
    kind: kind.kind,
    class: kind.class,
    x: width / 2,
    y: height / 2,
    w: kind.w,
    h: kind.h,
  };
  // The player's figure is far outside.
  return { ...frame, entities: [entity], pawn: { ...frame.pawn, x: -10 * width, y: -10 * height } };
}

export function EntityPicture({ game, kind }: { readonly game: Game; readonly kind: EntityKind }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const ctx = canvas.current?.getContext("2d");
    if (!ctx) return;
    // Long entities are cropped to their middle.
    const shown = Math.min(Math.max(kind.w, kind.h), LENGTH_MAX * Math.min(kind.w, kind.h));
    const scale = SIZE / (shown * MARGIN);
    const { width, height } = game.world;
    ctx.setTransform(scale, 0, 0, scale, SIZE / 2 - (width / 2) * scale, SIZE / 2 - (height / 2) * scale);
    drawSample(ctx, game, { frame: createFrame(game, kind), previous: null, alpha: 1 });
  }, [game, kind]);
  return (
    <span aria-hidden="true">
      <canvas class="entity-picture" ref={canvas} width={SIZE} height={SIZE} />
    </span>
  );
}
