/** The process of a round, started by `round-process.ts`. Lines come in; the winner's id and the compressed file go out. */
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";
import { buildRound, type RoundFacts } from "../../../domain/league/build-round.ts";
import { playRung, RUNGS } from "../../../domain/league/course.ts";
import { computeCourseSeed } from "../../../domain/league/course-seed.ts";
import { toRungId } from "../../../domain/league/round.ts";
import { findGame } from "../../../games/index.ts";
import type { RoundPlan } from "../../ports/policies.ts";
import { playCourses } from "./play-courses.ts";
import type { RoundInput } from "./round-process.ts";

const listSeeds = (plan: RoundPlan) =>
  Array.from({ length: plan.courses }, (_, course) => computeCourseSeed(plan, course));

function playRungs(plan: RoundPlan): RoundFacts["rungs"] {
  const { slug, tickHz, ticksMax } = plan;
  const game = findGame(slug)!;
  return RUNGS.map((rung) => ({
    id: toRungId(rung),
    runs: listSeeds(plan).map((seed, course) => playRung(rung, course, { game, seed, tickHz, ticksMax })),
  }));
}

function finish(facts: RoundFacts): void {
  const round = buildRound(facts);
  const ids = new Set(round.policies.map(({ id }) => id));
  const winner = round.ratings.find(({ id }) => ids.has(id))?.id ?? "";
  process.stdout.write(Buffer.concat([Buffer.from(`${winner}\n`), gzipSync(JSON.stringify(round))]), () =>
    process.exit(0),
  );
}

let plan: RoundPlan | null = null;
const policies: RoundFacts["policies"][number][] = [];

async function take(line: RoundInput): Promise<void> {
  if ("plan" in line) ({ plan } = line);
  else if ("policy" in line) {
    const { slug, tickHz, ticksMax } = plan!;
    const runs = await playCourses(line.policy.text, { slug, seeds: listSeeds(plan!), tickHz, ticksMax });
    policies.push({ ...line.policy, runs });
    process.stderr.write(`played ${line.policy.id}\n`);
  } else finish({ ...plan!, policies, rungs: playRungs(plan!) });
}

let taken = Promise.resolve();
createInterface({ input: process.stdin })
  .on("line", (line) => {
    taken = taken.then(() => take(JSON.parse(line) as RoundInput));
  })
  // The service has ended.
  .on("close", () => process.exit(1));
