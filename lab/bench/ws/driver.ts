/**
 * Drives one side: its process, its spectators and its measurements. Between measurements the process is stopped
 * (SIGSTOP), so that it uses no CPU while others are measured. Linux only.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { HEAP_FLAG, readProcessState } from "../compare/cpu.ts";
import { findMissing } from "../compare/work.ts";
import type { Measurement, ServerCommand } from "./server.ts";
import { type ConnectInfo, makeSession, type OpenOptions } from "./side.ts";
import { connectViewers, type Received } from "./viewer.ts";

const REQUEST_TIMEOUT_MS = 60_000;
/** A process that was stopped catches up before it is measured. */
const SETTLE_MS = 300;
/** The time without a message after which the spectators have read everything. */
const DRAIN_MS = 60;
/** The timers of peers drift. */
const TICKS_TOLERANCE = 0.12;
/** Frames that a side skips for a slow spectator. */
const FRAMES_TOLERANCE = 0.02;
/** Other messages of a side, such as events of the game. */
const FRAMES_EXCESS = 0.1;
/** Frames grow with what is on the screen; compact ones take less than a tenth of JSON. */
const BYTES_TOLERANCE = { json: 0.4, compact: 0.97 };
const BYTES_EXCESS = 2;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The size of a session's first frame as JSON: the smallest. */
const FIRST_FRAME_BYTES = Buffer.byteLength(JSON.stringify(makeSession(0, 20)()));

export interface Measured extends Measurement {
  readonly bytesPerFrame: number;
  readonly missing: string | null;
}

/** Otherwise a process that stops itself could get SIGCONT before it has stopped. */
async function waitUntilStopped(pid: number): Promise<void> {
  while (readProcessState(pid) !== "T") await sleep(2);
}

export class Driver {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #received: Received = { frames: 0, bytes: 0 };
  #sessions = 0;
  #tickHz = 0;
  #viewers = 0;
  #encoding: keyof typeof BYTES_TOLERANCE = "json";
  #allTicks = 0;

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
  }

  /** `databaseUrl`: for our own side only. */
  static async start(name: string, databaseUrl?: string): Promise<Driver> {
    const script = fileURLToPath(new URL("./server.ts", import.meta.url));
    const child = fork(script, databaseUrl === undefined ? [name] : [name, databaseUrl], {
      execArgv: [HEAP_FLAG],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      // Keeps bytes as they are.
      serialization: "advanced",
    });
    await once(child, "message", { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    return new Driver(name, child);
  }

  async #request<T>(command: ServerCommand): Promise<T> {
    this.#child.send(command);
    const [response] = await once(this.#child, "message", { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    return response as T;
  }

  /**
   * Opens sessions and connects their spectators, then stops the process. `viewers`: spectators of each session.
   * A side has one tick rate and one number of spectators.
   */
  async open(count: number, tickHz: number, viewers: number, extras: OpenOptions = {}): Promise<void> {
    this.#child.kill("SIGCONT");
    const { tickets } = await this.#request<{ tickets: ConnectInfo[] }>({
      order: "open",
      count,
      tickHz,
      viewers,
      extras,
    });
    await connectViewers(tickets, this.#received);
    this.#sessions += count;
    this.#tickHz = tickHz;
    this.#viewers = tickets.length / count;
    if (extras.compact === true) this.#encoding = "compact";
    // Ticks while the spectators connect do not count.
    await this.measure(SETTLE_MS);
  }

  /** Lets the process run and measures a part of that time; it then stops itself. */
  async measure(ms: number): Promise<Measured> {
    const before = { ...this.#received };
    const ticksBefore = this.#allTicks;
    this.#child.kill("SIGCONT");
    await sleep(SETTLE_MS);
    await this.#request({ order: "begin" });
    await sleep(ms);
    const { measured } = await this.#request<{ measured: Measurement }>({ order: "end" });
    await waitUntilStopped(this.#child.pid!);
    await this.#drain();
    this.#allTicks = measured.allTicks;
    const received = {
      frames: this.#received.frames - before.frames,
      bytes: this.#received.bytes - before.bytes,
    };
    return {
      ...measured,
      bytesPerFrame: received.bytes / received.frames,
      missing: this.#findMissing(measured, measured.allTicks - ticksBefore, received),
    };
  }

  /**
   * The ticks that the side reports must match its sessions, and the spectators must have received a frame for each.
   * `allTicks`, `received`: since the process was last stopped, because its last frames arrive later.
   */
  #findMissing({ ticks, seconds }: Measurement, allTicks: number, { frames, bytes }: Received): string | null {
    const expectedTicks = this.#sessions * this.#tickHz * seconds;
    return findMissing([
      { what: "ticks", done: ticks, expected: expectedTicks, tolerance: TICKS_TOLERANCE, excess: TICKS_TOLERANCE },
      {
        what: "frames received",
        done: frames,
        expected: allTicks * this.#viewers,
        tolerance: FRAMES_TOLERANCE,
        excess: FRAMES_EXCESS,
      },
      {
        what: "bytes received",
        done: bytes,
        expected: frames * FIRST_FRAME_BYTES,
        tolerance: BYTES_TOLERANCE[this.#encoding],
        excess: BYTES_EXCESS,
      },
    ]);
  }

  async #drain(): Promise<void> {
    let bytes = Number.NaN;
    while (bytes !== this.#received.bytes) {
      bytes = this.#received.bytes;
      await sleep(DRAIN_MS);
    }
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGKILL");
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
  }
}
