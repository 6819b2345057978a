/** Rules for every frame of every game. */
import { expect } from "chai";
import { frameMessage } from "../../domain/protocol/messages.ts";
import type { Game, GameState, Json } from "../../games/game.ts";
import { toPlayFrame } from "../../scripts/evaluate/play.ts";

/** Throws an assertion error that describes what is wrong with the frame of this state. */
export function checkFrame(game: Game, state: GameState): void {
  const frame = game.frame(state);
  const { error } = frameMessage.safeParse({ t: "frame", frame: toPlayFrame(game, state) });
  expect(error?.message, "the channel's schema").to.equal(undefined);
  expect(JSON.parse(JSON.stringify(frame)), "plain JSON").to.deep.equal(frame);
  checkIntegers(frame as unknown as Json, "frame");
  expect(frame.lives).to.be.within(0, game.livesMax);
  expect(frame.hunger).to.be.within(0, game.hungerMax - 1);
  expect(frame.pawn.x).to.be.within(0, game.world.width);
  expect(frame.pawn.y).to.be.within(0, game.world.height);
  expect(frame.entities.length).to.be.within(1, 40);
  const ids = new Set<number>();
  for (const entity of frame.entities) {
    ids.add(entity.id);
    const kind = game.kinds.find(({ kind }) => kind === entity.kind);
    expect(kind, entity.kind).to.include({ class: entity.class, w: entity.w, h: entity.h });
  }
  expect(ids.size, "ids are unique").to.equal(frame.entities.length);
  expect(Object.keys(frame.extra)).to.have.members(Object.keys(game.extraFields));
}

function checkIntegers(value: Json, path: string): void {
  if (typeof value === "number") expect(Number.isSafeInteger(value) && !Object.is(value, -0), path).to.equal(true);
  else if (value !== null && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) checkIntegers(inner, `${path}.${key}`);
  }
}
