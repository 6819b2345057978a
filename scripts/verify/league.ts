/** `npm run verify -- --league`: replays a round of the league and reports the differences. */
import { getCpuMsMax, playCourses } from "../../backend/adapters/policies/play-courses.ts";
import { compareRuns, isStopped } from "../../domain/league/compare-runs.ts";
import { playRung, RUNGS } from "../../domain/league/course.ts";
import { computeCourseSeed } from "../../domain/league/course-seed.ts";
import { checkRoundForm, type Round, roundSchema, toRungId } from "../../domain/league/round.ts";
import { checkThinkers } from "../../domain/league/thinking.ts";
import { createRulesLookup, versions } from "../../games/index.ts";
import { getRulesHash } from "../../games/rules-hash.ts";
import { UsageError } from "../cli/failures.ts";
import { resolveUserPath } from "../cli/user-paths.ts";
import { readAddress, readReplayFile } from "./replay-sources.ts";

const EXPECTED = "expected the file of a league round";

function parseJson(source: string, bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new UsageError(`${source}: ${EXPECTED}, received no JSON: ${(error as Error).message}`);
  }
}

/** A round's file, from a path or a URL. Throws `UsageError` and `CommandError`. */
export async function readRound(source: string): Promise<Round> {
  const isAddress = /^https?:\/\//.test(source);
  const bytes = await (isAddress ? readAddress(source) : readReplayFile(resolveUserPath(source)));
  if (bytes === null) throw new UsageError(`${source}: ${EXPECTED}, received 404`);
  const parsed = roundSchema.safeParse(parseJson(source, bytes));
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new UsageError(`${source}: ${EXPECTED}, ${path.join(".")}: ${message}`);
}

/**
 * Every difference from the file; null if this build does not have its rules. Each policy runs in a process that is
 * killed if it does not return.
 */
export async function verifyRound(round: Round): Promise<readonly string[] | null> {
  const { slug, rulesVersion, tickHz, ticksMax } = round;
  const game = createRulesLookup(versions)(slug, rulesVersion);
  if (game === undefined || getRulesHash(slug, rulesVersion) !== round.rulesHash) return null;
  const found = [...checkRoundForm(round), ...checkThinkers(game, round)];
  const seeds = Array.from({ length: round.courses }, (_, course) => computeCourseSeed(round, course));
  const courses = { slug, seeds, tickHz, ticksMax };
  for (const { id, text, runs } of round.policies) {
    // A slower machine needs more CPU time for the same courses.
    const cpuMsMax = isStopped(runs) ? getCpuMsMax(courses) : Number.POSITIVE_INFINITY;
    found.push(...compareRuns(id, await playCourses(text, courses, cpuMsMax), runs));
  }
  for (const rung of RUNGS) {
    const id = toRungId(rung);
    const played = seeds.map((seed, course) => playRung(rung, course, { game, seed, tickHz, ticksMax }));
    found.push(...compareRuns(id, played, round.rungs.find((each) => each.id === id)?.runs ?? []));
  }
  return found;
}
