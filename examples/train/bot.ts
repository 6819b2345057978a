/** The trained policy as a bot for `npm run agent` and `npm run evaluate`. */
import { readFileSync } from "node:fs";
import type { PlayBot } from "../../client/index.ts";
import { PARAMETERS, shouldFlap } from "./policy.ts";
import { toView } from "./view.ts";

const named = JSON.parse(readFileSync(new URL("flappybots.json", import.meta.url), "utf8")) as {
  readonly [name: string]: number;
};
const numbers = PARAMETERS.map(({ name }) => named[name]!);

export const bot: PlayBot = (frame) => (shouldFlap(toView(frame), numbers) ? { t: "action", action: "FLAP" } : null);
