/** One backend of a run: the product's own composition over the stand-ins of disk, clock, node and worker threads. */
import { openChain } from "../../../backend/adapters/chain/open-chain.ts";
import { RequestBudget } from "../../../backend/adapters/chain/request-budget.ts";
import type { Bus } from "../../../backend/adapters/live-plane/bus.ts";
import { NatsPlane } from "../../../backend/adapters/live-plane/nats-plane.ts";
import { type OpenedPlane, openLivePlane } from "../../../backend/adapters/live-plane/open-live-plane.ts";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { recoverSigner } from "../../../backend/adapters/signer/recover.ts";
import type { DurableDialect } from "../../../backend/adapters/store/durable-dialect.ts";
import type { LeaseOptions } from "../../../backend/adapters/store/lease/lease.ts";
import { openStoreOn } from "../../../backend/adapters/store/open-store.ts";
import { createSteadyWallClock } from "../../../backend/adapters/system/clock.ts";
import { recoverDigest, recoverMessage } from "../../../backend/adapters/worker/tasks.ts";
import type { AppOptions } from "../../../backend/app/app-options.ts";
import { createAppServer } from "../../../backend/app/open-server.ts";
import type { Parts } from "../../../backend/app/parts.ts";
import { wireAdminCommands } from "../../../backend/app/wire-operations.ts";
import { wireServices } from "../../../backend/app/wire-services.ts";
import type { Config } from "../../../backend/config/config.ts";
import { openLive } from "../../../backend/live/live.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import type { Clock, Log, Worker } from "../../../backend/ports/system.ts";
import { createLimiter } from "../../../backend/rate-limits/limiter.ts";
import type { AdminCommands } from "../../../backend/services/operations/admin-commands.ts";
import type { Sockets } from "../../../backend/ws/attach-sockets.ts";
import { verifyReplay } from "../../../domain/replay/verify.ts";
import { Connection, type ConnectionEnd } from "../world/connection.ts";
import { type EventLoop, runAs, type SimulatedProcess } from "../world/event-loop.ts";
import type { MessageServer } from "../world/message-server.ts";
import { getRules, simulatedGames } from "./game.ts";

const VERIFIED_AT_START_MAX = 1000;

export interface BackendOptions {
  readonly loop: EventLoop;
  readonly dialect: DurableDialect;
  /** Carries messages to the other backends of its fleet; null without a fleet. */
  readonly messages: MessageServer | null;
  readonly process: SimulatedProcess;
  readonly config: Config;
  readonly keys: AppOptions["keys"];
  readonly deployment: Deployment;
  readonly log: Log;
  readonly pollMs: number;
  /** Null for a store without a lease, as for the only backend of a run. */
  readonly lease: Pick<LeaseOptions, "onTaken" | "onLost" | "onWait"> | null;
  /** Called when a node of a fleet has dropped its sessions. */
  readonly onNodeLost: () => void;
  /** Whether the operator places orders in the run. Looking for them each second takes time. */
  readonly hasOrders: boolean;
}

/** The work of worker threads, done in a later turn. */
const createWorker = (loop: EventLoop): Worker => ({
  recoverMessage: async (message, signature) => {
    await loop.sleep(1);
    return recoverMessage({ message, signature });
  },
  recoverDigest: async (digest, signature) => recoverDigest({ digest, signature }),
  recoverTypedData: async (typedData, signature) => recoverSigner(hashTypedData(typedData), signature),
  verifyReplay: async (replay) => {
    await loop.sleep(2);
    return verifyReplay(replay, getRules);
  },
  close: async () => undefined,
});

function createClock(loop: EventLoop): Clock {
  return {
    nowMs: createSteadyWallClock(Date.now, () => loop.nowMs),
    monotonicMs: () => loop.nowMs,
    after: (delayMs, run) => {
      const task = loop.schedule(delayMs, run);
      return () => {
        task.isCancelled = true;
      };
    },
  };
}

export class SimulatedBackend {
  readonly process: SimulatedProcess;
  readonly parts: Parts;
  readonly #loop: EventLoop;
  readonly #wired: ReturnType<typeof wireServices>;
  readonly #app: ReturnType<typeof createAppServer>;
  readonly #connections: Connection[] = [];
  readonly #commands: AdminCommands;

  private constructor({ process, loop }: BackendOptions, parts: Parts) {
    this.process = process;
    this.parts = parts;
    this.#loop = loop;
    this.#wired = wireServices(parts);
    this.#commands = wireAdminCommands(parts);
    const limiter = createLimiter(parts.clock, parts.limitsOn);
    this.#app = createAppServer(parts, this.#wired, { limiter, mcp: null });
    // Node's `Date` header has the machine's time.
    this.#app.server.prependListener("request", (_, response) => {
      response.sendDate = false;
    });
  }

  /** Like `startApp`, with a server that does not listen. */
  static start(options: BackendOptions): Promise<SimulatedBackend> {
    return runAs(options.process, async () => {
      const parts = await openParts(options);
      const { store, live } = parts;
      const backend = new SimulatedBackend(options, parts);
      if (options.hasOrders) backend.#commands.start();
      const { services, chainAudit } = backend.#wired;
      await live.prepareRecovery();
      live.start();
      chainAudit.start();
      const resume = async (): Promise<void> => {
        await live.recover();
        for (const row of await store.sessions.listUnverified(VERIFIED_AT_START_MAX)) await live.verify(row);
      };
      resume().catch(() => undefined);
      services.payouts.start();
      return backend;
    });
  }

  /** A new connection of an agent with this IP address. */
  connect(address: string, end: ConnectionEnd): Connection {
    const { process } = this;
    const connection = new Connection({ loop: this.#loop, process, server: this.#app.server, address }, end);
    this.#connections.push(connection);
    return connection;
  }

  /** The sockets of play and spectate channels. */
  get sockets(): ReturnType<Sockets["stats"]> {
    return this.#app.sockets.stats();
  }

  /** To be called when the process is dead. */
  destroyConnections(): void {
    runAs(this.process, () => {
      for (const connection of this.#connections) connection.destroy();
    });
  }

  /** Like the end of `startApp`'s close. */
  close(): Promise<void> {
    const { live, livePlane, chain, store } = this.parts;
    const { services, chainAudit } = this.#wired;
    return runAs(this.process, async () => {
      await this.#app.sockets.drain();
      await this.#commands.stop();
      await chainAudit.stop();
      await live.drain();
      await services.payouts.stop();
      await livePlane.close();
      await chain.close();
      await services.telemetry.stop();
      for (const connection of this.#connections) connection.destroy();
      await store.close();
    });
  }
}

/** Like `openLivePlane` with an address. */
const joinPlane = (plane: NatsPlane): OpenedPlane => ({
  plane,
  findProblem: () => plane.findProblem(),
  starts: plane.starts,
  close: () => plane.close(),
});

async function openParts(options: BackendOptions): Promise<Parts> {
  const { loop, dialect, messages, process, config, keys, deployment, log, pollMs } = options;
  const clock = createClock(loop);
  // As on different machines: a process cannot tell whether another one has ended.
  const processIdentity = { place: process.name, processId: 1, isAlive: () => true };
  const lease = options.lease === null ? {} : { lease: { clock, log, processIdentity, ...options.lease } };
  let abandon = (): void => undefined;
  const onLost = (): void => {
    abandon();
    options.onNodeLost();
  };
  const node = { clock, log, url: process.name, isExclusive: false, onLost };
  const store: Store = await openStoreOn({ dialect }, messages === null ? lease : { node });
  const budget = new RequestBudget(clock, config.chainWaitMs ?? 1000, config.rateLimits === "on");
  const rpcUrl = `http://node.invalid/${process.name}`;
  const { confirmations } = config;
  const chain = await openChain({
    ...{ rpcUrl, budget, deployment, store, clock, confirmations, pollMs, log },
    operatorKey: keys.operator,
    feeCap: BigInt(config.feeCapGwei) * 10n ** 9n,
    callsPerDay: config.operatorCallsPerDay,
  });
  const worker = createWorker(loop);
  const { spectatorsMax, sessionsMax } = config;
  const { chainId, rewards } = deployment;
  const settings = { spectatorsMax, sessionsMax, chainId, rewards, limitPerIp: true };
  const live = openLive({ store, clock, worker, getRules, settings, log });
  abandon = () => live.abandonAll();
  const plane = {
    ...{ local: live.registry, deployment, sessions: store.sessions, getRules, clock, log },
    slugs: simulatedGames.games.map(({ slug }) => slug),
  };
  const livePlane =
    messages === null
      ? await openLivePlane({ ...plane, natsUrl: null })
      : joinPlane(new NatsPlane({ ...plane, bus: messages.connect(process) as unknown as Bus }));
  return {
    options: { config, keys, rpcUrl, deployment, log, webDir: null, clock, gameList: simulatedGames },
    ...{ store, chain, budget, worker, clock },
    ...{ live, livePlane },
    pictures: {
      draw: () => Promise.reject(new Error("a simulated service draws nothing")),
      close: async () => undefined,
    },
    policies: {
      check: () => Promise.reject(new Error("a simulated service has no league")),
      playRound: () => Promise.reject(new Error("a simulated service has no league")),
      stop: () => undefined,
    },
    isLocal: false,
    limitsOn: true,
    publicUrl: () => config.publicUrl!,
    ownOrigins: () => [config.publicUrl!],
    wsUrl: () => config.publicUrl!,
    draining: () => false,
    setDraining: () => undefined,
  };
}
