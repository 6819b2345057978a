/** Opens the infrastructure of one service. Part of the composition root. */

import { isLocalChain } from "../../domain/chain-ids.ts";
import { createOwnOrigins } from "../../domain/origins.ts";
import { gameList } from "../../games/index.ts";
import { openChain } from "../adapters/chain/open-chain.ts";
import { RequestBudget } from "../adapters/chain/request-budget.ts";
import { openLivePlane } from "../adapters/live-plane/open-live-plane.ts";
import { openPictureThread } from "../adapters/pictures/picture-thread.ts";
import { openPolicyRunner } from "../adapters/policies/policy-runner.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { openWorker } from "../adapters/worker/worker.ts";
import type { Config } from "../config/config.ts";
import { provideHome } from "../config/environment.ts";
import { openLive } from "../live/live.ts";
import type { Store } from "../ports/store/store.ts";
import type { Clock } from "../ports/system.ts";
import type { AppOptions } from "./app-options.ts";
import { checkNodes, claimStore } from "./check-unit.ts";
import { openOwnedStore } from "./open-owned-store.ts";
import type { Parts } from "./parts.ts";

/** What changes while the process runs. */
export interface ProcessState {
  publicUrl: string;
  isDraining: boolean;
}

/** Binds the store to this deployment and chain. Throws `ConfigError` if it belongs to others. */
async function checkUnit(
  store: Store,
  { deployment, rpcUrl, moreRpcUrls = [], onChainChanged }: AppOptions,
  clock: Clock,
) {
  await claimStore(store, deployment);
  // A chain in this process is saved beside the store; when a saved chain is loaded, the store follows it.
  if (onChainChanged !== undefined) return;
  await checkNodes(store, { rpcUrls: [rpcUrl, ...moreRpcUrls], chainId: deployment.chainId, clock });
}

const CHAIN_WAIT_MS = { local: 10_000, public: 1000 };
/** How long one request may wait for the node in total. */
export const getChainWaitMs = ({ chainWaitMs }: Pick<Config, "chainWaitMs">, chainId: number): number =>
  chainWaitMs ?? CHAIN_WAIT_MS[isLocalChain(chainId) ? "local" : "public"];

const CHAIN_POLL_MS = { local: 250, public: 1000 };

/**
 * Opens store, chain, worker and the game server once no other backend works on the database. At first only the chain's
 * indexer runs.
 */
export async function openParts(
  options: AppOptions,
  state: ProcessState,
  onLost: () => void,
): Promise<{ readonly parts: Parts; readonly standbyPort: number | null }> {
  const { config, deployment, log, rpcUrl } = options;
  const { chainId, rewards } = deployment;
  const clock = options.clock ?? systemClock;
  const { getRules, moduleUrl, games } = options.gameList ?? gameList;
  const isLocal = isLocalChain(chainId);
  const { store, standbyPort } = await openOwnedStore(options, clock, onLost);
  await checkUnit(store, options, clock).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const limitsOn = (config.rateLimits ?? (isLocal ? "off" : "on")) === "on";
  const budget = new RequestBudget(clock, getChainWaitMs(config, chainId), limitsOn);
  const chain = await openChain({
    rpcUrl,
    moreRpcUrls: options.moreRpcUrls ?? [],
    budget,
    deployment,
    store,
    clock,
    operatorKey: options.keys.operator,
    confirmations: config.confirmations,
    feeCap: BigInt(config.feeCapGwei) * 10n ** 9n,
    callsPerDay: config.operatorCallsPerDay,
    pollMs: config.chainPollMs ?? CHAIN_POLL_MS[isLocal ? "local" : "public"],
    isAnnounced: options.onChainChanged !== undefined,
    log,
  });
  const worker = openWorker({
    log,
    gamesUrl: moduleUrl,
    ...(options.threadPool === undefined ? {} : { pool: options.threadPool }),
  });
  const { spectatorsMax, sessionsMax, disconnectPauseSeconds } = config;
  const settings = { spectatorsMax, sessionsMax, disconnectPauseSeconds, chainId, rewards, limitPerIp: limitsOn };
  const live = openLive({ store, clock, worker, getRules, settings, log });
  const livePlane = await openLivePlane({
    natsUrl: config.natsUrl,
    local: live.registry,
    deployment,
    sessions: store.sessions,
    getRules,
    slugs: games.map(({ slug }) => slug),
    clock,
    log,
  });
  // The picture thread looks for fonts there.
  provideHome();
  const parts: Parts = {
    options,
    store,
    chain,
    budget,
    worker,
    pictures: openPictureThread(moduleUrl, log),
    policies: openPolicyRunner(log),
    live,
    livePlane,
    clock,
    isLocal,
    limitsOn,
    publicUrl: () => state.publicUrl,
    ownOrigins: createOwnOrigins(() => state.publicUrl, config),
    wsUrl: () => state.publicUrl.replace(/^http/, "ws"),
    draining: () => state.isDraining,
    setDraining: (isDraining) => {
      state.isDraining = isDraining;
      livePlane.starts?.setDraining(isDraining);
    },
  };
  return { parts, standbyPort };
}
