/** Fills a site with data as if it were in use: more agents, and runs of several days. */
import { snapshotScore } from "../../client/flows.ts";
import type { TestStack } from "../../test/helpers/suite.ts";
import type { SiteWorld } from "../../test/web/support/site-world.ts";
import { addEndedSession } from "../../testing/ended-session.ts";
import { createAgent, type Player } from "../../testing/player.ts";

const NAMES = ["Sanderling", "Knot", "Godwit", "Dotterel"] as const;
const HOUR_MS = 3_600_000;
/** The least score of each run, and how many hours ago it ended. */
const RUNS = [
  { slug: "shellrunners", minScore: 90, hoursAgo: 70 },
  { slug: "shellrunners", minScore: 210, hoursAgo: 47 },
  { slug: "flappybots", minScore: 12, hoursAgo: 45 },
  { slug: "shellrunners", minScore: 320, hoursAgo: 21 },
  { slug: "flappybots", minScore: 26, hoursAgo: 5 },
] as const;

/** Plays for three days. Every other score is put on chain; the rest is verified and waits. */
async function addRuns(stack: TestStack, { client, address }: Player, agentName: string, step: number): Promise<void> {
  for (const [index, { slug, minScore, hoursAgo }] of RUNS.entries()) {
    const { sessionId } = await addEndedSession(stack, {
      wallet: address,
      agentName,
      slug,
      minScore: Math.round(minScore * (1 - step / 10)),
      endedAtMs: Date.now() - (hoursAgo + step) * HOUR_MS,
    });
    if (index % 2 === 0) await snapshotScore({ client, sessionId });
    else await client.rewards.snapshot({ sessionId });
  }
}

/** Adds agents, and more runs of the existing one. */
export async function fillWorld({ stack, agent }: SiteWorld): Promise<void> {
  await addRuns(stack, agent, agent.name, 0);
  for (const [index, name] of NAMES.entries()) await addRuns(stack, await createAgent(stack, name), name, index + 1);
}
