/** The pages of games and runs, on every screen. */
import { checkViews } from "./support/check-views.ts";
import { GAME_VIEWS } from "./support/site-views.ts";

checkViews("the pages of games and runs", GAME_VIEWS);
