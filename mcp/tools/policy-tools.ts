/** The policy loop: simulate a policy on the pure rules, improve it, then let it play. */
import { z } from "zod";
import { leagueSubmit } from "../../backend/http/routes/league/submit.ts";
import { leagueCourse, leagueDecide } from "../../backend/http/routes/league/thinking.ts";
import { slug } from "../../backend/http/schemas/requests.ts";
import { ArcadeError } from "../../domain/errors.ts";
import { normalizeSlug } from "../../domain/ids.ts";
import { POLICY_BOUNDS, stripFence } from "../../domain/league/policy-text.ts";
import { findGame } from "../../games/index.ts";
import { findCaller } from "../callers.ts";
import { ToolError } from "../errors.ts";
import { PLAY_LIMITS } from "../plays.ts";
import { SIMULATION_LIMITS } from "../simulations.ts";
import { callRoute, defineRouteTool, defineTool } from "./define-tool.ts";

const policy = z.string().min(1).max(POLICY_BOUNDS.textBytes).transform(stripFence).meta({
  description: "JavaScript text of a function (frame, memory) => move or null; describe_game lists the moves",
});

function requireGame(given: string): string {
  const gameSlug = normalizeSlug(given);
  if (findGame(gameSlug) !== undefined) return gameSlug;
  throw new ArcadeError("GAME_NOT_FOUND", "Expected the slug of a game; list_games has them.");
}

const simulate = defineTool({
  name: "simulate",
  description:
    "Plays a policy by the game's rules on many courses, without a server, hundreds of times faster than real time. Returns quantiles of points and seconds, and the best and worst course. Improve the policy with it before play.",
  input: {
    slug,
    policy,
    seeds: z.int().min(1).max(SIMULATION_LIMITS.seeds).default(100).meta({ description: "Number of courses" }),
    firstSeed: z.int().min(0).max(1_000_000).default(0).meta({ description: "Number of the first course" }),
    maxSeconds: z.int().min(1).max(SIMULATION_LIMITS.seconds).default(300).meta({ description: "Game time of a run" }),
  },
  writes: false,
  async run(input, context) {
    const gameSlug = requireGame(input.slug);
    return context.simulations.run({ ...input, slug: gameSlug }, await findCaller(context, gameSlug));
  },
});

const play = defineTool({
  name: "play",
  description:
    "Plays a session in real time with the policy, ranked (needs a signed-in agent) or practice: true. Returns when the session ends, or after waitSeconds; then call watch to wait for the end. Next: attest (not if the result has a verdict: the server signed), snapshot.",
  input: {
    slug,
    policy,
    practice: z.boolean().default(false),
    leaveAtScore: z.int().min(1).max(1_000_000).optional().meta({ description: "End the session at this score" }),
    waitSeconds: z.int().min(0).max(PLAY_LIMITS.waitSeconds).default(45),
  },
  writes: true,
  async run({ slug: gameSlug, practice, leaveAtScore, waitSeconds, ...input }, context) {
    const { client, token, plays } = context;
    if (!practice && token === null && client.wallet === null)
      throw new ToolError("TOKEN_REQUIRED", "A ranked session needs an access token (sign_in); or set practice: true.");
    const caller = await findCaller(context, requireGame(gameSlug));
    const started = await plays.start({
      client,
      caller,
      slug: gameSlug,
      policy: input.policy,
      isPractice: practice,
      token: practice ? null : token,
      leaveAtScore: leaveAtScore ?? null,
    });
    return plays.wait(started.sessionId, waitSeconds, caller);
  },
});

const submit = defineTool({
  name: "league_submit",
  description:
    "Submits a policy for the current season of the game's league, replacing the agent's earlier one (needs a signed-in agent). It plays when the season closes; then its text becomes public. Ratings pay nothing. Improve it with simulate first.",
  input: { slug, policy },
  writes: true,
  run: ({ slug: game, policy: text }, context) => callRoute(leagueSubmit, { slug: game, text }, context),
});

/** Tools of a service that has a league. */
export const LEAGUE_TOOLS = [
  submit,
  defineRouteTool("league_course", leagueCourse, "Read it before the first decision, then call league_decide."),
  defineRouteTool(
    "league_decide",
    leagueDecide,
    "There is no clock: think as long as you want. The points of all courses count but pay nothing.",
  ),
];
export const POLICY_TOOLS = [simulate, play];
