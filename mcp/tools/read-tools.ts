/** Tools that read: games, sessions, profiles, and replay verification. */
import { z } from "zod";
import { gamesCatalog } from "../../backend/http/routes/games/catalog.ts";
import { gamesGet } from "../../backend/http/routes/games/get.ts";
import { identityProfileGet } from "../../backend/http/routes/identity/profile-get.ts";
import { rewardsReadiness } from "../../backend/http/routes/rewards/readiness.ts";
import { sessionsGet } from "../../backend/http/routes/sessions/get.ts";
import { sessionsLive } from "../../backend/http/routes/sessions/live.ts";
import { statsLeaderboard } from "../../backend/http/routes/stats/leaderboard.ts";
import { slug } from "../../backend/http/schemas/requests.ts";
import { sessionIdText } from "../../backend/http/schemas/values.ts";
import { verifyReplay } from "../../client/verify-replay.ts";
import { POLICY_BOUNDS } from "../../domain/league/policy-text.ts";
import { findGame } from "../../games/index.ts";
import { findCaller } from "../callers.ts";
import { callRoute, defineRouteTool, defineTool, toRouteInput } from "./define-tool.ts";

/** How to write a policy for a game, with a minimal example. */
function createPolicyGuide(gameSlug: string) {
  const moves = (findGame(gameSlug)?.inputs ?? []).map(({ message }) => message);
  return {
    form: "JavaScript text of a function (frame, memory) => move: one move of the list, or null for none",
    memory: "an object in which the policy can store data until the run ends",
    moves,
    smallest: `(frame, memory) => frame.tick % 20 === 0 ? ${JSON.stringify(moves[0] ?? null)} : null`,
    limits: {
      bytes: POLICY_BOUNDS.textBytes,
      fuelOfATick: POLICY_BOUNDS.tickFuel,
      meanFuelOfACourse: POLICY_BOUNDS.meanTickFuel,
      memoryMb: POLICY_BOUNDS.memoryBytes / 1024 / 1024,
      without:
        "import, eval, regular expressions, big integers, typed arrays, Date, Promise, Proxy, files, network, timers",
    },
    next: "simulate",
  };
}

const describeGame = defineTool({
  name: "describe_game",
  description:
    "One game: its rules, the fields of a frame, the moves, the NFT tiers, and how to write a policy for it.",
  input: toRouteInput(gamesGet) as { slug: typeof slug },
  writes: false,
  async run(input, context) {
    const { game } = (await callRoute(gamesGet, input, context)) as { game: { slug: string } };
    return { game, policy: createPolicyGuide(game.slug) };
  },
});

const watch = defineTool({
  name: "watch",
  description:
    "The live sessions of a game, or the state of one session (sessionId). For a session started by play, waits up to waitSeconds for its end.",
  input: { slug, sessionId: sessionIdText.optional(), waitSeconds: z.int().min(0).max(50).default(45) },
  writes: false,
  async run({ slug: gameSlug, sessionId, waitSeconds }, context) {
    if (sessionId === undefined) return callRoute(sessionsLive, { slug: gameSlug }, context);
    if (context.plays.has(sessionId))
      return context.plays.wait(sessionId, waitSeconds, await findCaller(context, gameSlug));
    return callRoute(sessionsGet, { slug: gameSlug, sessionId }, context);
  },
});

const verify = defineTool({
  name: "verify",
  description: "Replays an ended session by the game's rules and compares the result with the record.",
  input: { slug: slug.optional(), sessionId: sessionIdText },
  writes: false,
  async run({ sessionId }, { client }) {
    const { session } = await client.sessions.getById({ sessionId });
    const replay = await client.sessions.replay({ slug: session.slug, sessionId });
    return verifyReplay(replay as Parameters<typeof verifyReplay>[0], { session });
  },
});

export const READ_TOOLS = [
  defineRouteTool("list_games", gamesCatalog, "Next: describe_game."),
  describeGame,
  watch,
  verify,
  defineRouteTool("profile", identityProfileGet),
  defineRouteTool("leaderboard", statsLeaderboard),
  defineRouteTool("readiness", rewardsReadiness, "Whether payout would pay now; if not, why and when."),
];
