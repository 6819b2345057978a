/** A round of 20 policies, as a service would play it; for tests and for the machines that play it again. */
import { buildRound } from "../../../domain/league/build-round.ts";
import { playPolicy, playRung, RUNGS } from "../../../domain/league/course.ts";
import { computeCourseSeed } from "../../../domain/league/course-seed.ts";
import type { Engine } from "../../../domain/league/engine.ts";
import { type Round, toRungId } from "../../../domain/league/round.ts";
import { findGame } from "../../../games/index.ts";

/** 20 policies that differ in when they flap; the last ones forfeit, answer nonsense and draw numbers. */
const createPolicies = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => {
    if (index === 17) return "(frame) => { if (frame.tick > 9) for (;;); return null; }";
    if (index === 18) return "(frame) => frame.tick % 2 ? { t: 'jump' } : null";
    if (index === 19) return "() => Math.random() < 0.11 ? { t: 'action', action: 'FLAP' } : null";
    return `(frame, memory) => { memory.n = (memory.n ?? 0) + Math.sin(frame.pawn.y); return frame.pawn.y > frame.observation.nextGapCenterY + ${10 + 3 * index} && frame.pawn.velocityY > -200 ? { t: 'action', action: 'FLAP' } : null; }`;
  });

export async function playRound(engine: Engine, policies: number, courses: number, ticksMax: number): Promise<Round> {
  const game = findGame("flappybots")!;
  const hash = `0x${"42".repeat(32)}` as const;
  const seeds = { serverSeed: hash, block: { number: 7, hash }, slug: game.slug };
  const tickHz = 20;
  const toOptions = (course: number) => ({ game, seed: computeCourseSeed(seeds, course), tickHz, ticksMax });
  const all = Array.from({ length: courses }, (_, course) => course);
  const played: Parameters<typeof buildRound>[0]["policies"][number][] = [];
  for (const [index, text] of createPolicies(policies).entries()) {
    const runs = [];
    for (const course of all) runs.push(await playPolicy(engine, text, toOptions(course)));
    const id = `0x${String(index).padStart(40, "0")}`;
    played.push({ id, agentId: String(index), text, submittedAt: "2026-01-01T00:00:00.000Z", runs });
  }
  return buildRound({
    ...seeds,
    season: 1,
    rulesVersion: game.rulesVersion,
    tickHz,
    ticksMax,
    courses,
    opensAt: "2026-01-01T00:00:00.000Z",
    closesAt: "2026-01-08T00:00:00.000Z",
    policies: played,
    thinkers: [{ id: `0x${"0a".repeat(20)}`, agentId: "21", courses: [{ course: 2, decisions: "19 110 .8 112" }] }],
    rungs: RUNGS.map((rung) => ({
      id: toRungId(rung),
      runs: all.map((course) => playRung(rung, course, toOptions(course))),
    })),
  });
}
