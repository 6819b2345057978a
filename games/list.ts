/** The list of games: one line for each game. Their `order` sets the order of display, not the order of these lines. */
export { flappybots } from "./flappybots/game.ts";
export { shellrunners } from "./shellrunners/game.ts";
