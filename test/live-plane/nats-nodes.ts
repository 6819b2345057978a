import { randomBytes } from "node:crypto";
import { Bus } from "../../backend/adapters/live-plane/bus.ts";
import { NatsPlane } from "../../backend/adapters/live-plane/nats-plane.ts";
import { PLANE_VERSION } from "../../backend/adapters/live-plane/subjects.ts";
import { systemClock } from "../../backend/adapters/system/clock.ts";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import type { Clock, Log } from "../../backend/ports/system.ts";
import { games, getRules } from "../../games/index.ts";
import { createFastClock } from "../../testing/clock.ts";
import { openMemoryStore } from "../../testing/images.ts";
import { silentLog } from "../adapters/chain/chain-fixture.ts";
import { useEach } from "../helpers/fixture.ts";
import type { NatsServer } from "../helpers/nats.ts";
import { TestClock } from "../helpers/test-clock.ts";
import { type LiveTestServer, startLiveTestServer } from "../live/live-suite.ts";
import type { PlaneUnderTest } from "./suite.ts";

/** Nodes announce their sessions more often than in production, so that tests need not wait. */
const PERIOD_MS = 100;
/** How long to wait for an answer that arrives at once on a working connection. */
const SETTLE_MS = 5000;

export interface NatsNode {
  readonly server: LiveTestServer;
  readonly plane: NatsPlane;
  readonly bus: Bus;
}

export interface NatsNodes extends PlaneUnderTest {
  readonly nodes: readonly NatsNode[];
  /** The prefix of the deployment's subjects. */
  readonly prefix: string;
  /** Warnings and errors of all nodes. */
  readonly warnings: readonly string[];
}

/** Resolves when the server has read what `nodes` published, and they have read its messages. */
async function settle(nodes: readonly NatsNode[], prefix: string): Promise<void> {
  for (let round = 0; round < 2; round += 1)
    await Promise.all(nodes.map(({ bus }) => bus.ask(`${prefix}.nothing`, "", SETTLE_MS)));
}

/** A connection apart from the nodes. */
export const connectBus = (url: string): Promise<Bus> => Bus.connect([url], { clock: systemClock, log: silentLog });

/** The node stops running the session and announces it. */
export function leaveNode({ game }: LiveTestServer, { sessionId }: SessionRow): void {
  const session = game.registry.get(sessionId)!;
  game.registry.remove(session);
  session.move();
}

/** Nodes of a new deployment for each test, as `startNatsNodes` makes them. */
export const useNatsNodes = (getNats: () => NatsServer, options: Parameters<typeof startNatsNodes>[1]): NatsNodes =>
  useEach(() => startNatsNodes(getNats().url, options));

/**
 * Nodes of a new deployment on one store. Sessions run on the first one. Games use the test's time. NATS uses the
 * system's time without stalls of this process, in which nodes would seem silent to each other.
 */
export async function startNatsNodes(
  url: string,
  { count = 2, planeClock = createFastClock(1) }: { readonly count?: number; readonly planeClock?: Clock } = {},
): Promise<NatsNodes> {
  const warnings: string[] = [];
  const warn = (_: object, message: string): void => void warnings.push(message);
  const log: Log = { debug() {}, info() {}, warn, error: warn };
  const deployment = { chainId: 31337, rewards: `0x${randomBytes(20).toString("hex")}` };
  const [store, clock] = [await openMemoryStore(), new TestClock()];
  const nodes: NatsNode[] = [];
  for (let n = 0; n < count; n++) {
    const bus = await Bus.connect([url], { clock: planeClock, log });
    let plane: NatsPlane | null = null;
    const server = await startLiveTestServer({
      store,
      clock,
      log,
      createPlane: (local) => {
        const slugs = games.map(({ slug }) => slug);
        const parts = { bus, local, deployment, sessions: store.sessions, getRules, slugs };
        plane = new NatsPlane({ ...parts, clock: planeClock, log, periodMs: PERIOD_MS });
        return plane;
      },
    });
    nodes.push({ server, plane: plane!, bus });
  }
  const prefix = `arcade.v${PLANE_VERSION}.${deployment.chainId}-${deployment.rewards}`;
  return {
    owner: nodes[0]!.server,
    edge: nodes[1]!.server,
    nodes,
    prefix,
    warnings,
    settle: () => settle(nodes, prefix),
    stop: async () => {
      for (const { server } of nodes) await server.kill();
      for (const { plane } of nodes) await plane.close();
      for (const { server } of nodes) await server.runUntilSettled(server.game.drain());
      await store.close();
    },
  };
}
