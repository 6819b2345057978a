/** Ticks of a practice session that waits for its player, by request. */
import { z } from "zod";
import { ArcadeError } from "../errors.ts";
import { actionMessage, eventMessage, frameBody, inputMessage } from "./messages.ts";

const TICKS_MAX = 100;

export const stepRequest = z.strictObject({
  move: z
    .discriminatedUnion("t", [inputMessage, actionMessage])
    .nullable()
    .default(null)
    .meta({ description: "One of the game's moves for the first tick; null: none" }),
  ticks: z.int().min(1).max(TICKS_MAX).default(1).meta({ description: "Ticks to make; fewer if the game ends" }),
});

export const stepResult = z.object({
  frame: frameBody.meta({ description: "The state after the ticks" }),
  events: z.array(eventMessage),
});

export const createMoveError = (slug: string): ArcadeError =>
  new ArcadeError("VALIDATION_FAILED", `Expected a move of ${slug}; GET /api/games/${slug} has them.`);

export type StepRequest = z.output<typeof stepRequest>;
export type StepResult = z.output<typeof stepResult>;
