/** The composition root: opens the infrastructure, wires the services, serves HTTP and WebSocket, and closes it all. */

import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError } from "../config/config.ts";
import { DemoAgents } from "../live/demo-agents.ts";
import { Rounds } from "../services/league/rounds.ts";
import type { ChainAudit } from "../services/operations/chain-audit.ts";
import { Retention } from "../services/operations/retention.ts";
import type { Services } from "../services/services.ts";
import type { App, AppOptions } from "./app-options.ts";
import { findKeyIssues } from "./check-node.ts";
import { openParts, type ProcessState } from "./open-parts.ts";
import { openServer } from "./open-server.ts";
import { getGames, hasRole, type Parts } from "./parts.ts";
import { wireAdminCommands } from "./wire-operations.ts";
import { wireServices } from "./wire-services.ts";

export type { App, AppOptions } from "./app-options.ts";

/** How long the start waits for the node; the service already listens. */
const FIRST_HEAD_WAIT_MS = 1000;
/** The maximum number of unverified sessions that a start verifies. */
const VERIFIED_AT_START_MAX = 1000;

export async function startApp(options: AppOptions): Promise<App> {
  const { config, log } = options;
  const state: ProcessState = { publicUrl: config.publicUrl ?? "", isDraining: false };
  let isTakenOver = false;
  let abandon = (): void => {
    isTakenOver = true;
  };
  const { parts, standbyPort } = await openParts(options, state, () => abandon());
  const { store, live } = parts;
  const { services, metrics, chainAudit, signerSet } = wireServices(parts);

  options.onChainChanged?.(() => parts.chain.indexer.announceChange());
  // Before requests are accepted, so that players' requests wait for their sessions.
  if (hasRole(parts, "live")) await live.prepareRecovery();
  live.start();
  if (parts.isLocal && hasRole(parts, "chain")) await openDemoCycle(parts, services);
  const upkeep = startUpkeep(parts, chainAudit);
  const server = await openServer(parts, services, metrics, standbyPort);
  const { httpUrl } = server;
  if (state.publicUrl === "") state.publicUrl = httpUrl;
  resumeOpenWork(parts, services);
  const demo = createDemoAgents(parts, services);
  await demo?.start();
  // So that a service whose node responds is ready when the start ends.
  await parts.chain.indexer.waitForHead(FIRST_HEAD_WAIT_MS);

  const stopGames = async (): Promise<void> => {
    await parts.livePlane.starts?.stop();
    await demo?.stop();
    await live.drain();
  };
  const close = async ({ lingerMs = 0 } = {}): Promise<void> => {
    parts.setDraining(true);
    // Other nodes take over the games while this one still responds.
    const handOver = async (): Promise<void> => {
      await server.drain();
      if (store.node?.isShared) await stopGames();
    };
    await Promise.all([handOver(), lingerMs === 0 ? null : sleep(lingerMs)]);
    const { closed, stopped } = server.close();
    await stopped;
    await upkeep.stop();
    await stopGames();
    await services.payouts.stop();
    await parts.livePlane.close();
    await parts.chain.close();
    await parts.worker.close();
    await parts.pictures.close();
    await server.closeConnections();
    await closed;
    // After the last request, so that every accepted event is written.
    await services.telemetry.stop();
    await store.close();
  };
  // The store rejects further writes: the other backend owns the database.
  const closeAbandoned = (): void => {
    close()
      .catch((error: unknown) => log.warn({ err: error }, "could not stop cleanly after another backend took over"))
      .finally(() => options.onTakenOver?.());
  };
  // With other nodes on PostgreSQL this node stays: it serves the site and reads, and plays again with its next lease.
  abandon = store.node?.isShared ? () => live.abandonAll() : closeAbandoned;
  if (isTakenOver) abandon();
  const exchangeSigners = async (keys: AppOptions["keys"]): Promise<void> => {
    const { reader } = parts.chain;
    const issues = await findKeyIssues(reader, reader.deployment, keys);
    // safeguard: check-keys-before-use
    if (issues.length > 0) throw new ConfigError(issues);
    signerSet.exchange(keys);
    parts.chain.exchangeOperatorKey(keys.operator);
  };
  return { httpUrl, wsUrl: httpUrl.replace(/^http/, "ws"), services, exchangeSigners, close };
}

/** Starts background work: the operator's commands, the removal of old rows, and the audit of the chain. */
function startUpkeep(parts: Parts, chainAudit: ChainAudit): { stop(): Promise<void> } {
  const { options, store, clock } = parts;
  const { log } = options;
  const { retention: purge } = store.singletons;
  const rounds = createRounds(parts);
  const adminCommands = wireAdminCommands(parts);
  const retention = new Retention({
    store: store.retention,
    clock,
    log,
    isIndexed: () => isIndexed(parts),
    mayRun: () => purge.isHeld(),
  });
  adminCommands.start();
  retention.start();
  if (hasRole(parts, "chain")) chainAudit.start();
  if (hasRole(parts, "chain") && options.config.leagueSeasonHours > 0) rounds.start();
  return {
    async stop() {
      await rounds.stop();
      await retention.stop();
      await chainAudit.stop();
      await adminCommands.stop();
    },
  };
}

/** Creates the job that ends the seasons of the league. */
function createRounds(parts: Parts): Rounds {
  const { options, store, chain, policies: runner, clock } = parts;
  const { config, log } = options;
  const { league: lock } = store.singletons;
  return new Rounds({
    store: store.league,
    chain: chain.reader,
    index: chain.index,
    runner,
    games: getGames(parts),
    clock,
    log,
    seasonHours: config.leagueSeasonHours,
    mayRun: () => lock.isHeld(),
  });
}

/** The demo agents; null if there are none. */
function createDemoAgents(parts: Parts, { sessions }: Services): DemoAgents | null {
  const { options, live, clock, isLocal } = parts;
  const { config, log } = options;
  if (!hasRole(parts, "live") || (config.demoAgents ?? (isLocal ? "on" : "off")) === "off") return null;
  const games = getGames(parts);
  const open = (slug: string) => sessions.openDemo(slug);
  return new DemoAgents({ registry: live.registry, clock, games, sessionsMax: config.sessionsMax, open, log });
}

/** Whether the store has the chain's events up to the head. */
function isIndexed({ chain }: Parts): boolean {
  const { healthy, lagBlocks } = chain.indexer.status();
  return healthy && lagBlocks === 0;
}

async function openDemoCycle({ options }: Parts, { candidates }: Services): Promise<void> {
  await candidates
    .openDemoCycle()
    .catch((error: unknown) => options.log.warn({ err: error }, "the demonstration vote could not be opened"));
}

/** Continues the open work of the last process in parallel with requests: sessions, verifications and payouts. */
function resumeOpenWork(parts: Parts, { payouts }: Services): void {
  const { options, store, live } = parts;
  const { log } = options;
  const resumeSessions = async (): Promise<void> => {
    await live.recover();
    for (const row of await store.sessions.listUnverified(VERIFIED_AT_START_MAX)) await live.verify(row);
  };
  if (hasRole(parts, "live"))
    resumeSessions().catch((error: unknown) => log.warn({ err: error }, "ended sessions could not be verified yet"));
  if (hasRole(parts, "chain")) payouts.start();
}
