/** The real command in a new process group, which can be killed at any time. */

import { type ChildProcess, spawn } from "node:child_process";
import type { Hex } from "viem";
import { root } from "../../../scripts/start/build.ts";
import { PATIENT_WITH_CHAIN } from "./drill.ts";

export interface Ready {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly contracts: { readonly identity: Hex; readonly rewards: Hex; readonly token: Hex };
}

export interface ArcadeProcess {
  readonly ready: Ready;
  /** From the spawn to the ready line. */
  readonly readyMs: number;
  /** Everything written to stderr so far. */
  output(): string;
  /** Signals the whole group. */
  kill(signal: NodeJS.Signals): void;
  /** The exit code; null when a signal ended it. */
  readonly exited: Promise<number | null>;
}

export type BackendProcess = Pick<ArcadeProcess, "output" | "kill" | "exited"> & {
  readonly httpUrl: string;
  readonly processId: number;
};

export interface StartOptions {
  readonly dataDir: string;
  readonly env?: { readonly [name: string]: string };
  readonly args?: readonly string[];
  /** Another copy of the repository, whose service it is. */
  readonly sources?: string;
}

function spawnStart({ dataDir, env, args = [], sources = root }: StartOptions): ChildProcess {
  const { ARCADE_LOG_LEVEL: _, ...inherited } = process.env;
  return spawn(process.execPath, ["scripts/run.mjs", "start", "--json", ...args], {
    cwd: sources,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...inherited,
      ARCADE_DATA_DIR: dataDir,
      ARCADE_PORT: "0",
      ARCADE_RPC_PORT: "0",
      ARCADE_DEMO_AGENTS: "off",
      ...PATIENT_WITH_CHAIN,
      ...env,
    },
  });
}

/** Starts the command and waits for its ready line. Throws with its output when it ends before. */
export async function startProcess(options: StartOptions): Promise<ArcadeProcess> {
  const startedMs = performance.now();
  const child = spawnStart(options);
  let output = "";
  child.stderr!.on("data", (chunk) => {
    output += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const ready = await new Promise<Ready>((resolve, reject) => {
    let line = "";
    child.stdout!.on("data", (chunk) => {
      line += chunk;
      if (line.includes("\n")) resolve(JSON.parse(line));
    });
    void exited.then((code) => reject(new Error(`npm start ended with ${code}: ${output}`)));
  });
  return {
    ready,
    readyMs: Math.round(performance.now() - startedMs),
    output: () => output,
    exited,
    kill: (signal) => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal);
    },
  };
}

interface BackendOptions extends StartOptions {
  readonly rpcUrl: string;
  /** `standby`: until it waits for another backend on the same database. */
  readonly until?: "ready" | "standby";
}

const LOG_MESSAGES = { ready: '"msg":"ready"', standby: '"msg":"waiting as the standby' } as const;

/** Starts another backend (`npm run serve`) on the data folder and the chain of a running one. */
export async function startBackend(options: BackendOptions): Promise<BackendProcess> {
  const { ARCADE_LOG_LEVEL: _, ...inherited } = process.env;
  const child = spawn(process.execPath, ["scripts/run.mjs", "serve"], {
    cwd: options.sources ?? root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...inherited,
      ARCADE_DATA_DIR: options.dataDir,
      ARCADE_RPC_URL: options.rpcUrl,
      ARCADE_PORT: "0",
      ARCADE_DEMO_AGENTS: "off",
      ...PATIENT_WITH_CHAIN,
      ...options.env,
    },
  });
  let output = "";
  const exited = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const httpUrl = await new Promise<string>((resolve, reject) => {
    let isReached = false;
    const collectOutput = (chunk: Buffer): void => {
      output += chunk;
      if (isReached) return;
      const line = output.split("\n").find((text) => text.includes(LOG_MESSAGES[options.until ?? "ready"]));
      if (line === undefined) return;
      isReached = true;
      const { httpUrl, port } = JSON.parse(line);
      resolve(httpUrl ?? `http://127.0.0.1:${port}`);
    };
    child.stdout!.on("data", collectOutput);
    child.stderr!.on("data", collectOutput);
    void exited.then((code) => reject(new Error(`npm run serve ended with ${code}: ${output}`)));
  });
  return {
    httpUrl,
    processId: child.pid!,
    output: () => output,
    exited,
    kill: (signal) => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal);
    },
  };
}
