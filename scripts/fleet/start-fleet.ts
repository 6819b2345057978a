/**
 * A whole fleet on this machine: PostgreSQL, NATS, the embedded chain, backends and a balancer, with temporary data.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config, Secrets } from "../../backend/config/config.ts";
import { getEnvironment } from "../../backend/config/environment.ts";
import { getServiceKeys } from "../../backend/config/service-keys.ts";
import type { Deployment } from "../../backend/ports/chain.ts";
import { deployLocal } from "../../deploy/execute-local.ts";
import { gameList } from "../../games/index.ts";
import { startDevChain } from "../../local-chain/dev-stack.ts";
import { BackendHealth } from "./backend-health.ts";
import { type FleetBackend, startBackendProcess } from "./backend-process.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { type NatsServer, startNats } from "./nats-server.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

export interface FleetOptions {
  readonly backendCount: number;
  /** `port` is the balancer's. */
  readonly config: Pick<Config, "port" | "portIsSet" | "rpcPort" | "rpcPortIsSet">;
  readonly secrets: Secrets;
  /** Settings of every backend; the fleet's own settings override them. */
  readonly env?: { readonly [name: string]: string };
  /** Wraps each step of the start, so that the caller can report it. */
  readonly step: <T>(title: string, run: () => Promise<T>) => Promise<T>;
  /** Prints a line about a backend. */
  readonly onMessage: (text: string) => void;
}

export interface Fleet {
  /** The balancer's URL, which clients use. */
  readonly url: string;
  readonly rpcUrl: string;
  /** The contracts. */
  readonly deployment: Deployment;
  readonly databaseUrl: string;
  readonly backends: readonly FleetBackend[];
  readonly nats: NatsServer;
  readonly postgres: PostgresServer;
  /** Stops everything and removes the data. */
  stop(): Promise<void>;
}

type Stop = () => Promise<unknown>;

/** Starts everything. If a later step fails, stops what was started. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const stops: Stop[] = [];
  const stop = async (): Promise<void> => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  try {
    return { ...(await startParts(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the parts in order; `stops` gets the functions that stop them. */
async function startParts(options: FleetOptions, stops: Stop[]): Promise<Omit<Fleet, "stop">> {
  const { config, secrets, step, backendCount } = options;
  const dataDir = await mkdtemp(join(tmpdir(), "arcade-fleet-"));
  stops.push(() => rm(dataDir, { recursive: true, force: true }));
  const postgres = await step("PostgreSQL", startPostgres);
  stops.push(() => postgres.stop());
  const nats = await step("NATS", startNats);
  stops.push(() => nats.stop());
  const { chain } = await step("local chain", () => startDevChain({ ...config, host: "127.0.0.1", dataDir }));
  stops.push(() => chain.close());

  const backends: FleetBackend[] = [];
  const balancer = await startHealthyBalancer(config, backends, stops);
  const url = `http://127.0.0.1:${balancer.port}`;
  const { rpcUrl } = chain;
  const deploymentPath = join(dataDir, "deployment.json");
  const keys = getServiceKeys(secrets);
  const { deployment } = await step("contracts", () =>
    deployLocal({ rpcUrl, keys, path: deploymentPath, publicUrl: url, games: gameList.games }),
  );
  const databaseUrl = await postgres.createDatabase();
  const env = {
    // Both belong to single backends, not to the fleet.
    ARCADE_DEMO_AGENTS: "off",
    ARCADE_MCP: "off",
    ...getEnvironment(),
    ...options.env,
    ARCADE_DATABASE_URL: databaseUrl,
    ARCADE_NATS_URL: nats.url,
    ARCADE_RPC_URL: rpcUrl,
    ARCADE_DATA_DIR: dataDir,
    ARCADE_DEPLOYMENT: deploymentPath,
    ARCADE_PUBLIC_URL: url,
    ARCADE_HOST: "127.0.0.1",
    ARCADE_PORT: "0",
    ARCADE_LOG_LEVEL: "info",
  };
  stops.push(() => Promise.all(backends.map((backend) => backend.stop())));
  // One after the other: the first one creates the tables.
  for (let number = 1; number <= backendCount; number++)
    await step(`backend ${number}`, async () => {
      const backend = startBackendProcess({ number, env, onMessage: options.onMessage });
      backends.push(backend);
      await backend.waitUntilReady();
    });
  return { url, rpcUrl, deployment, databaseUrl, backends, nats, postgres };
}

/** A balancer that skips the backends that do not answer. */
async function startHealthyBalancer(
  { port, portIsSet }: FleetOptions["config"],
  backends: readonly FleetBackend[],
  stops: Stop[],
): Promise<Balancer> {
  const health = new BackendHealth({
    listPorts: () => backends.flatMap(({ httpUrl }) => (httpUrl === null ? [] : [Number(new URL(httpUrl).port)])),
    onSilent: (backendPort) => balancer.endConnections(backendPort),
  });
  stops.push(async () => health.stop());
  const whenBusy = portIsSet ? "fail" : "next";
  const balancer: Balancer = await startBalancer({ port, whenBusy, listPorts: () => health.listPorts() });
  stops.push(() => balancer.close());
  return balancer;
}
