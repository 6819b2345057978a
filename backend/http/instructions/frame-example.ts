import { EMPTY_INPUTS_DIGEST } from "../../../domain/replay/inputs-digest.ts";
import type { Game } from "../../../games/game.ts";
import { buildFrame } from "../../live/frame.ts";
import { EXAMPLES } from "../routing/examples.ts";

const SECONDS = 3;
/** A complete frame has more of the same. */
const ENTITIES_MAX = 2;

/** The frame of a game's play channel a few seconds after its start, created by the game itself. */
export function createFrameExample(game: Game): { readonly [field: string]: unknown } {
  const { slug, tickHz, rulesVersion } = game;
  const bot = game.bots.reference();
  const state = game.init(new Uint8Array(32).fill(7), tickHz);
  const row = { sessionId: EXAMPLES.sessionId, slug, tickHz, rulesVersion, seedCommitment: EXAMPLES.digest };
  const build = () =>
    buildFrame({
      row,
      game,
      state,
      phase: "running",
      highScore: EXAMPLES.score,
      spectators: { current: 2, max: 50 },
      ackSeq: null,
      inputsDigest: EMPTY_INPUTS_DIGEST,
    }).frame;
  const codes = new Map(game.inputs.map(({ message, code }) => [JSON.stringify(message), code]));
  for (let tick = 0; tick < SECONDS * tickHz && !state.over; tick += 1) {
    const move = bot(build() as never);
    const code = move === null ? undefined : codes.get(JSON.stringify(move));
    game.step(state, code === undefined ? [] : [code]);
  }
  const frame = build();
  return { ...frame, entities: frame.entities.slice(0, ENTITIES_MAX) };
}
