/** The whole service with its limits on, in a separate process, with games that never end. Run by the flood drill. */
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { ReceiveBudget } from "../../../backend/rate-limits/receive-budget.ts";
import { RequestGate } from "../../../backend/rate-limits/request-gate.ts";
import { ADDRESS_LIMITS, CONNECTION_LIMITS } from "../../../domain/limits/limits.ts";
import type { Game } from "../../../games/game.ts";
import { gameList } from "../../../games/index.ts";
import { shellrunners } from "../../../games/shellrunners/game.ts";
import { startTestStack } from "../../../test/helpers/suite.ts";
import { createAgent } from "../../../testing/player.ts";

export interface FloodCommand {
  readonly order: "reset" | "read";
  readonly name: string;
}

export interface FloodMeasurement {
  readonly cpuMs: number;
  /** The delay of the event loop. */
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Injected fault: the service counts neither frames nor requests, as it did before these limits. */
if (process.env.DRILL_FAULT === "unlimited") {
  ReceiveBudget.prototype.attach = () => {};
  RequestGate.prototype.wrap = (handler) => handler;
  Object.assign(CONNECTION_LIMITS, { perIp: 1_000_000, waitingPerIp: 1_000_000 });
  Object.assign(ADDRESS_LIMITS.requests, { limit: 1_000_000_000 });
  Object.assign(ADDRESS_LIMITS.failedTokens, { limit: 1_000_000_000 });
  Object.assign(ADDRESS_LIMITS.upgrades, { limit: 1_000_000_000 });
}

const endless: Game = {
  ...(shellrunners as unknown as Game),
  step: (state, codes) => shellrunners.step(Object.assign(state, { safeBeats: 60, hunger: 0 }) as never, codes),
};
const games = gameList.games.map((game) => (game.slug === endless.slug ? endless : game));
const stack = await startTestStack({
  env: { ARCADE_RATE_LIMITS: "on" },
  gameList: { ...gameList, games, getRules: (slug) => games.find((game) => game.slug === slug) },
});
const agent = await createAgent(stack as never);
const { sessionId, playToken, wsUrl } = await agent.client.sessions.start({ slug: endless.slug, source: "agent_api" });
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
let startedCpu = process.cpuUsage();
const profiler = process.env.DRILL_PROFILE === undefined ? null : new Session();
if (profiler !== null) {
  profiler.connect();
  await profiler.post("Profiler.enable");
}

/** Event-loop delay and CPU use since the previous measurement. */
process.on("message", async (command: FloodCommand) => {
  if (command.order === "read" && profiler !== null) {
    const { profile } = await profiler.post("Profiler.stop");
    writeFileSync(`${process.env.DRILL_PROFILE}-${command.name}.cpuprofile`, JSON.stringify(profile));
  }
  const { user, system } = process.cpuUsage(startedCpu);
  const [p99Ms, maxMs] = [delays.percentile(99) / 1e6, delays.max / 1e6];
  process.send!({ cpuMs: (user + system) / 1000, p99Ms, maxMs } satisfies FloodMeasurement);
  if (command.order === "reset" && profiler !== null) await profiler.post("Profiler.start");
  delays.reset();
  startedCpu = process.cpuUsage();
});
process.on("disconnect", () => process.exit(0));
process.send!({ httpUrl: stack.httpUrl, sessionId, playToken, wsUrl });
