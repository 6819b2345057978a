/** `npm run verify -- --league`: plays a round of the league again and names what differs. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { openEngine } from "../../backend/adapters/policies/engine-file.ts";
import { getUserDirectory } from "../../backend/config/environment.ts";
import { playPolicy, playRung } from "../../domain/league/course.ts";
import {
  checkRoundForm,
  computeCourseSeed,
  type Round,
  type RoundPlayer,
  replayRound,
  roundSchema,
} from "../../domain/league/round.ts";
import { createRulesLookup, versions } from "../../games/index.ts";
import { getRulesHash } from "../../games/rules-hash.ts";
import { UsageError } from "../cli/failures.ts";

/** The file of a round from a path or an address. */
export async function readRound(source: string): Promise<Round> {
  const isAddress = /^https?:\/\//.test(source);
  const text = isAddress
    ? await fetch(source).then((response) => response.text())
    : await readFile(resolve(getUserDirectory(), source), "utf8");
  const parsed = roundSchema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new UsageError(`${source}: expected the file of a league round, ${path.join(".")}: ${message}`);
}

/** Everything that differs from what the file tells; null if this build does not know its rules. */
export async function verifyRound(round: Round, onCourse: () => void = () => {}): Promise<readonly string[] | null> {
  const game = createRulesLookup(versions)(round.slug, round.rulesVersion);
  if (game === undefined || getRulesHash(round.slug, round.rulesVersion) !== round.rulesHash) return null;
  const found = checkRoundForm(round);
  if (found.length > 0) return found;
  const engine = openEngine();
  const toOptions = (course: number) => {
    const { tickHz, ticksMax } = round;
    return { game, seed: computeCourseSeed(round, course), tickHz, ticksMax };
  };
  const player: RoundPlayer = {
    playPolicy: (text, course) => playPolicy(engine, text, toOptions(course)),
    playRung: async (rung, course) => playRung(rung, course, toOptions(course)),
  };
  return replayRound(round, player, onCourse);
}
