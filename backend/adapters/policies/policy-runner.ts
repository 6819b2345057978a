/** Checks and plays policies of the league in other processes. */
import { ArcadeError } from "../../../domain/errors.ts";
import { LEAGUE_LIMITS } from "../../../domain/limits/limits.ts";
import type { PolicyRunner } from "../../ports/policies.ts";
import type { Log } from "../../ports/system.ts";
import { PolicyProcess } from "./policy-process.ts";
import { RoundProcess } from "./round-process.ts";

/** When a client may try again while too many texts are checked. */
const RETRY_SECONDS = 5;

export function openPolicyRunner(log: Log): PolicyRunner {
  const { checksAtOnce, checksWaiting } = LEAGUE_LIMITS;
  const waiting: (() => void)[] = [];
  let running = 0;
  let round: RoundProcess | null = null;

  async function takeTurn(): Promise<void> {
    if (running < checksAtOnce) {
      running += 1;
      return;
    }
    if (waiting.length >= checksWaiting)
      throw new ArcadeError("RATE_LIMITED", `Too many policies are checked now; try again in ${RETRY_SECONDS} s.`, {
        retryAfterSeconds: RETRY_SECONDS,
      });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function giveTurn(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    async check(text) {
      await takeTurn();
      try {
        (await PolicyProcess.start(text, { isPrompt: true })).stop();
      } finally {
        giveTurn();
      }
    },
    async playRound(plan, policies) {
      round = new RoundProcess((text) => log.debug({ slug: plan.slug, season: plan.season }, text));
      try {
        return await round.play(plan, policies);
      } finally {
        round.stop();
        round = null;
      }
    },
    stop: () => round?.stop(),
  };
}
