/** The real command as a process group of its own, to be killed at any moment. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { root } from "../../../scripts/start/build.ts";

type Hex = `0x${string}`;

export interface Ready {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly contracts: { readonly identity: Hex; readonly rewards: Hex; readonly token: Hex };
}

export interface ArcadeProcess {
  readonly ready: Ready;
  /** From the spawn to the line that says ready. */
  readonly readyMs: number;
  /** Everything written to stderr so far. */
  words(): string;
  /** Signals the whole group. */
  kill(signal: NodeJS.Signals): void;
  /** The exit code; null where a signal ended it. */
  readonly exited: Promise<number | null>;
}

export type BackendProcess = Pick<ArcadeProcess, "words" | "kill" | "exited"> & { readonly httpUrl: string };

export interface StartOptions {
  readonly dataDir: string;
  readonly env?: { readonly [name: string]: string };
  readonly args?: readonly string[];
}

function spawnStart({ dataDir, env, args = [] }: StartOptions): ChildProcess {
  const { ARCADE_LOG_LEVEL: _, ...inherited } = process.env;
  return spawn(process.execPath, ["scripts/run.mjs", "start", "--json", ...args], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited, ARCADE_DATA_DIR: dataDir, ARCADE_PORT: "0", ARCADE_RPC_PORT: "0", ...env },
  });
}

/** Starts and waits for the line that says ready. Throws with what was written where the process ends before. */
export async function startProcess(options: StartOptions): Promise<ArcadeProcess> {
  const startedMs = performance.now();
  const child = spawnStart(options);
  let words = "";
  child.stderr!.on("data", (chunk) => {
    words += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const ready = await new Promise<Ready>((resolve, reject) => {
    let line = "";
    child.stdout!.on("data", (chunk) => {
      line += chunk;
      if (line.includes("\n")) resolve(JSON.parse(line));
    });
    void exited.then((code) => reject(new Error(`npm start ended with ${code}: ${words}`)));
  });
  return {
    ready,
    readyMs: Math.round(performance.now() - startedMs),
    words: () => words,
    exited,
    kill: (signal) => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal);
    },
  };
}

/** Another backend (`npm run serve`) on the data folder and the chain of one that runs. */
export async function startBackend(options: StartOptions & { readonly rpcUrl: string }): Promise<BackendProcess> {
  const { ARCADE_LOG_LEVEL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, ["scripts/run.mjs", "serve"], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...inherited,
      ARCADE_DATA_DIR: options.dataDir,
      ARCADE_RPC_URL: options.rpcUrl,
      ARCADE_PORT: "0",
      ...options.env,
    },
  });
  let words = "";
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const httpUrl = await new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      words += chunk;
      const line = words.split("\n").find((text) => text.includes('"msg":"ready"'));
      if (line !== undefined) resolve(JSON.parse(line).httpUrl);
    };
    child.stdout!.on("data", listen);
    child.stderr!.on("data", listen);
    void exited.then((code) => reject(new Error(`npm run serve ended with ${code}: ${words}`)));
  });
  return {
    httpUrl,
    words: () => words,
    exited,
    kill: (signal) => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal);
    },
  };
}

/** A port that nobody uses right now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
