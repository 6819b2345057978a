/** One backend of a life: the product's own composition over the stand-ins of disk, clock, node and worker threads. */
import { openChain } from "../../../backend/adapters/chain/open-chain.ts";
import { RequestBudget } from "../../../backend/adapters/chain/request-budget.ts";
import { createSteadyWallClock } from "../../../backend/adapters/clock.ts";
import { openLivePlane } from "../../../backend/adapters/live-plane/open-live-plane.ts";
import { hashTypedData } from "../../../backend/adapters/signer/hash-typed-data.ts";
import { recoverSigner } from "../../../backend/adapters/signer/recover.ts";
import type { LeaseOptions } from "../../../backend/adapters/store/lease/lease.ts";
import { openStoreOn } from "../../../backend/adapters/store/open-store.ts";
import { recoverDigest, recoverMessage } from "../../../backend/adapters/worker/tasks.ts";
import type { AppOptions } from "../../../backend/app-options.ts";
import type { Config } from "../../../backend/config/config.ts";
import { verifyReplay } from "../../../backend/domain/replay/verify.ts";
import { openLive } from "../../../backend/live/live.ts";
import type { Parts } from "../../../backend/parts.ts";
import type { Deployment } from "../../../backend/ports/chain.ts";
import type { Store } from "../../../backend/ports/store/store.ts";
import type { Clock, Log, Worker } from "../../../backend/ports/system.ts";
import type { Services } from "../../../backend/services/services.ts";
import { wireServices } from "../../../backend/wire-services.ts";
import type { Disk } from "../world/disk.ts";
import { type EventLoop, runAs, type SimulatedProcess } from "../world/event-loop.ts";
import { getRules, simulatedGames } from "./game.ts";

const VERIFIED_AT_START_MAX = 1000;

export interface BackendOptions {
  readonly loop: EventLoop;
  readonly disk: Disk;
  readonly process: SimulatedProcess;
  readonly config: Config;
  readonly keys: AppOptions["keys"];
  readonly deployment: Deployment;
  readonly log: Log;
  readonly pollMs: number;
  /** Null: a store without a lease, as for the only backend of a life. */
  readonly lease: Pick<LeaseOptions, "onTaken" | "onLost"> | null;
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
  readonly services: Services;
  readonly #stopAudit: () => Promise<void>;

  private constructor(process: SimulatedProcess, parts: Parts, wired: ReturnType<typeof wireServices>) {
    this.process = process;
    this.parts = parts;
    this.services = wired.services;
    this.#stopAudit = () => wired.chainAudit.stop();
  }

  /** As `startApp`, without the server. */
  static start(options: BackendOptions): Promise<SimulatedBackend> {
    return runAs(options.process, async () => {
      const parts = await openParts(options);
      const { store, live } = parts;
      const wired = wireServices(parts);
      await live.prepareRecovery();
      live.start();
      wired.chainAudit.start();
      const backend = new SimulatedBackend(options.process, parts, wired);
      const resume = async (): Promise<void> => {
        await live.recover();
        for (const row of await store.sessions.listUnverified(VERIFIED_AT_START_MAX)) await live.verify(row);
      };
      resume().catch(() => undefined);
      wired.services.payouts.start();
      return backend;
    });
  }

  /** Runs a request as the HTTP pipeline does, within its time for the chain. */
  request<T>(work: (services: Services) => Promise<T>): Promise<T> {
    const { chain, budget } = this.parts;
    return runAs(this.process, async () => {
      await chain.index.waitForChanges();
      return await budget.run(() => work(this.services));
    });
  }

  /** As the end of `startApp`'s close. */
  close(): Promise<void> {
    const { live, chain, store } = this.parts;
    return runAs(this.process, async () => {
      await this.#stopAudit();
      await live.drain();
      await this.services.payouts.stop();
      await chain.close();
      await this.services.telemetry.stop();
      await store.close();
    });
  }
}

async function openParts(options: BackendOptions): Promise<Parts> {
  const { loop, disk, process, config, keys, deployment, log, pollMs } = options;
  const clock = createClock(loop);
  const dialect = disk.createDialect(process);
  // Processes of other machines: none can tell whether another one has ended.
  const processIdentity = { place: process.name, processId: 1, isAlive: () => true };
  const lease = options.lease === null ? {} : { lease: { clock, log, processIdentity, ...options.lease } };
  const store: Store = await openStoreOn({ dialect }, lease);
  const budget = new RequestBudget(clock, config.chainWaitMs);
  const rpcUrl = `http://node.invalid/${process.name}`;
  const { confirmations } = config;
  const chain = await openChain({
    ...{ rpcUrl, budget, deployment, store, clock, confirmations, pollMs, log },
    operatorKey: keys.operator,
    feeCap: null,
    callsPerDay: config.operatorCallsPerDay,
    registries: { agents: null, reputation: null },
  });
  const worker = createWorker(loop);
  const { spectatorsMax, sessionsMax } = config;
  const { chainId, rewards } = deployment;
  const settings = { spectatorsMax, sessionsMax, chainId, rewards, limitPerIp: false };
  const live = openLive({ store, clock, worker, getRules, settings, log });
  const livePlane = await openLivePlane({
    ...{ natsUrl: null, local: live.registry, deployment, sessions: store.sessions, getRules, clock, log },
    slugs: simulatedGames.games.map(({ slug }) => slug),
  });
  return {
    options: { config, keys, rpcUrl, deployment, log, webDir: null, clock, gameList: simulatedGames },
    ...{ store, chain, budget, worker, clock },
    ...{ live, livePlane },
    isLocal: false,
    limitsOn: false,
    publicUrl: () => config.publicUrl!,
    wsUrl: () => config.publicUrl!,
    draining: () => false,
    setDraining: () => undefined,
  };
}
