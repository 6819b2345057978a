/**
 * A backend's live part in a process of its own, with commands over IPC. `node node.ts [NATS_URL DEPLOYMENT]`: with
 * them one node of several, without them the only one.
 */

import { Bus } from "../../../backend/adapters/live-plane/bus.ts";
import { NatsPlane } from "../../../backend/adapters/live-plane/nats-plane.ts";
import { systemClock as clock } from "../../../backend/adapters/system/clock.ts";
import type { Game } from "../../../games/game.ts";
import { type BenchSession, startArcade } from "../ws/arcade.ts";
import { type ConnectInfo, game } from "../ws/side.ts";

export type NodeCommand =
  | { readonly order: "store"; readonly sessions: readonly BenchSession[]; readonly isHost: boolean }
  | { readonly order: "invite"; readonly sessionIds: readonly string[]; readonly viewers: number }
  | { readonly order: "begin" }
  | { readonly order: "end" };

export interface NodeReply {
  readonly tickets?: readonly ConnectInfo[];
  readonly cpuMs?: number;
  readonly ticks?: number;
  /** From the beginning to the end. */
  readonly seconds?: number;
}

const log = { debug() {}, info() {}, warn: console.error, error: console.error };
/** Nodes are stopped for long while other sides are measured, and must not be taken for lost. */
const PERIOD_MS = 600_000;

/** Its frames say when they were made, by the clock that all processes of the machine share. */
const rules: Game = {
  ...game,
  frame: (state) => {
    const frame = game.frame(state);
    return { ...frame, extra: { ...frame.extra, sentAtMs: performance.timeOrigin + performance.now() } };
  },
};

const [natsUrl, deploymentId] = process.argv.slice(2);
const bus = natsUrl === undefined ? null : await Bus.connect([natsUrl], { clock, log });
let ticks = 0;
const arcade = await startArcade(
  () => {
    ticks += 1;
  },
  bus === null
    ? { rules }
    : {
        rules,
        createPlane: (local, sessions) => {
          const deployment = { chainId: 31337, rewards: deploymentId! };
          const options = { bus, local, sessions, deployment, clock, log, periodMs: PERIOD_MS };
          return new NatsPlane({ ...options, getRules: () => game, slugs: [game.slug] });
        },
      },
);

async function handle(command: NodeCommand): Promise<NodeReply> {
  if (command.order === "store") {
    for (const [n, session] of command.sessions.entries()) {
      await arcade.store(session);
      if (command.isHost) await arcade.host(session.sessionId, n, false);
    }
    return {};
  }
  if (command.order === "invite") {
    const tickets: ConnectInfo[] = [];
    for (const sessionId of command.sessionIds)
      for (let n = 0; n < command.viewers; n++) tickets.push(await arcade.createConnectInfo("spectate", sessionId, ""));
    return { tickets };
  }
  if (command.order === "begin") {
    ticks = 0;
    startedMs = performance.now();
    cpu = process.cpuUsage();
    return {};
  }
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1000, ticks, seconds: (performance.now() - startedMs) / 1000 };
}

let cpu = process.cpuUsage();
let startedMs = 0;
process.on("message", async (command: NodeCommand) => process.send!(await handle(command)));
process.on("disconnect", () => process.exit(0));
process.send!({});
