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
  /** The exit code; null if a signal ended it. */
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
  /** Another copy of the repository to run the service from. */
  readonly sources?: string;
}

/** Starts one of the commands in a separate process group. */
function spawnCommand(args: readonly string[], env: { readonly [name: string]: string } = {}, sources = root) {
  const { ARCADE_LOG_LEVEL: _, ...inherited } = process.env;
  const child: ChildProcess = spawn(process.execPath, ["scripts/run.mjs", ...args], {
    cwd: sources,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited, ARCADE_PORT: "0", ARCADE_DEMO_AGENTS: "off", ...PATIENT_WITH_CHAIN, ...env },
  });
  let output = "";
  const collect = (chunk: Buffer): void => {
    output += chunk;
  };
  child.stderr!.on("data", collect);
  return {
    child,
    collect,
    output: () => output,
    exited: new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code))),
    kill: (signal: NodeJS.Signals): void => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, signal);
    },
  };
}
type Spawned = ReturnType<typeof spawnCommand>;

/** Reads the JSON that the command prints when it is ready. Throws with its output if it ends before. */
function readReadyLine<T>({ child, exited, output }: Spawned, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    let line = "";
    child.stdout!.on("data", (chunk) => {
      line += chunk;
      if (line.includes("\n")) resolve(JSON.parse(line));
    });
    void exited.then((code) => reject(new Error(`${name} ended with ${code}: ${output()}`)));
  });
}

/** Starts the command and waits for its ready line. Throws with its output if it ends before. */
export async function startProcess({ dataDir, env, args = [], sources }: StartOptions): Promise<ArcadeProcess> {
  const startedMs = performance.now();
  const places = { ARCADE_DATA_DIR: dataDir, ARCADE_RPC_PORT: "0" };
  const spawned = spawnCommand(["start", "--json", ...args], { ...places, ...env }, sources);
  const ready = await readReadyLine<Ready>(spawned, "npm start");
  const { output, exited, kill } = spawned;
  return { ready, readyMs: Math.round(performance.now() - startedMs), output, exited, kill };
}

/** Starts `npm run chain -- proxy` in front of a node. */
export async function startProxyCommand(to: string, seed: number) {
  const spawned = spawnCommand(["chain", "proxy", "--to", to, "--seed", String(seed), "--json"]);
  const { url } = await readReadyLine<{ readonly url: string }>(spawned, "npm run chain -- proxy");
  const fail = async (...params: readonly unknown[]): Promise<void> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "chaos_fail", params });
    const answer = (await (await fetch(url, { method: "POST", body })).json()) as { readonly error?: object };
    if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error));
  };
  return { url, fail, exited: spawned.exited, kill: spawned.kill };
}

interface BackendOptions extends StartOptions {
  readonly rpcUrl: string;
  /** `standby`: until it is the standby of another backend on the same database. */
  readonly until?: "ready" | "standby";
}

const LOG_MESSAGES = { ready: '"msg":"ready"', standby: '"msg":"waiting as the standby' } as const;

/** Starts another backend (`npm run serve`) on the data folder and the chain of a running one. */
export async function startBackend({ dataDir, rpcUrl, env, sources, until }: BackendOptions): Promise<BackendProcess> {
  const places = { ARCADE_DATA_DIR: dataDir, ARCADE_RPC_URL: rpcUrl };
  const spawned = spawnCommand(["serve"], { ...places, ...env }, sources);
  const { child, collect, output, exited, kill } = spawned;
  const httpUrl = await new Promise<string>((resolve, reject) => {
    let isReached = false;
    const findReady = (): void => {
      if (isReached) return;
      const line = output()
        .split("\n")
        .find((text) => text.includes(LOG_MESSAGES[until ?? "ready"]));
      if (line === undefined) return;
      isReached = true;
      const { httpUrl, port } = JSON.parse(line);
      resolve(httpUrl ?? `http://127.0.0.1:${port}`);
    };
    child.stdout!.on("data", collect);
    for (const stream of [child.stdout!, child.stderr!]) stream.on("data", findReady);
    void exited.then((code) => reject(new Error(`npm run serve ended with ${code}: ${output()}`)));
  });
  return { httpUrl, processId: child.pid!, output, exited, kill };
}
