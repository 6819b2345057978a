/** Backends in separate processes that share one PostgreSQL, one NATS server and one chain. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ArcadeProcess,
  type BackendProcess,
  startBackend,
  startProcess,
} from "../../lab/drills/support/process.ts";
import { root } from "../../scripts/start/build.ts";
import { type NatsServer, useNats } from "./nats.ts";
import { type PostgresServer, usePostgres } from "./postgres.ts";

type Settings = { readonly [name: string]: string };

export class TestFleet {
  readonly dataDir: string;
  readonly nats: NatsServer;
  readonly postgres: PostgresServer;
  /** The settings that the backends share. */
  readonly env: Settings;
  readonly #running: Pick<BackendProcess, "kill" | "exited">[] = [];
  #rpcUrl = "";

  constructor(dataDir: string, nats: NatsServer, postgres: PostgresServer, databaseUrl: string) {
    this.dataDir = dataDir;
    this.nats = nats;
    this.postgres = postgres;
    this.env = { ARCADE_DATABASE_URL: databaseUrl, ARCADE_NATS_URL: nats.url, ARCADE_MCP: "off" };
  }

  /** Starts the first backend, and the chain in its process. `sources`: another copy of the repository. */
  async startFirst(settings: Settings = {}, sources = root): Promise<ArcadeProcess> {
    const backend = await startProcess({ dataDir: this.dataDir, env: { ...this.env, ...settings }, sources });
    this.#running.push(backend);
    this.#rpcUrl = backend.ready.rpcUrl;
    return backend;
  }

  /** `sources`: another copy of the repository to run the backend from. */
  startOther(settings: Settings = {}, sources?: string): Promise<BackendProcess> {
    return this.#startOnChain(this.dataDir, { ...this.env, ...settings }, sources);
  }

  /** Starts a backend on the same chain with a separate database. */
  startSingle(): Promise<BackendProcess> {
    const env = { ARCADE_DEPLOYMENT: join(this.dataDir, "deployment.json"), ARCADE_MCP: "off" };
    return this.#startOnChain(join(this.dataDir, "single"), env);
  }

  async #startOnChain(dataDir: string, env: Settings, sources = root): Promise<BackendProcess> {
    const backend = await startBackend({ dataDir, rpcUrl: this.#rpcUrl, env, sources });
    this.#running.push(backend);
    return backend;
  }

  async close(): Promise<void> {
    for (const backend of this.#running) backend.kill("SIGKILL");
    await Promise.all(this.#running.map(({ exited }) => exited));
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

/** The servers of a fleet without backends, for the tests of a suite, which get it from the returned function. */
export function useTestFleet(): () => TestFleet {
  let fleet: TestFleet;
  // The hooks run in this order, so that backends end before their servers.
  after(() => fleet?.close());
  const postgres = usePostgres();
  const nats = useNats();
  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "arcade-test-fleet-"));
    fleet = new TestFleet(dataDir, nats(), postgres(), await postgres().createDatabase());
  });
  return () => fleet;
}
