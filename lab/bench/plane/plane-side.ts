/** A side of the bench: the processes of one or two nodes, NATS between them, and their viewers. Linux only. */
import { randomBytes } from "node:crypto";
import { type NatsServer, startNats } from "../../../test/helpers/nats.ts";
import { readProcessCpuUs } from "../compare/cpu.ts";
import type { Round, Side } from "../compare/types.ts";
import { findMissing } from "../compare/work.ts";
import { createBenchSession } from "../ws/arcade.ts";
import { connectViewers, type Received } from "../ws/viewer.ts";
import { type FrameTimes, probeFrames } from "./frame-times.ts";
import type { NodeReply } from "./node.ts";
import { Node } from "./node-process.ts";

export interface PlaneLoad {
  readonly sessions: number;
  /** Of each session. */
  readonly viewers: number;
  readonly tickHz: number;
  readonly roundMs: number;
  /** Until the code is compiled. */
  readonly warmUpMs: number;
}

const SETTLE_MS = 500;
/** The windows of processes begin and end with their own messages. */
const FRAMES_TOLERANCE = 0.1;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** `isRemote`: the viewers are on another node than the sessions. `isIdle`: no viewer connects. */
export class PlaneSide implements Side {
  readonly name: string;
  readonly #load: PlaneLoad;
  readonly #isRemote: boolean;
  readonly #isIdle: boolean;
  readonly #received: Received = { frames: 0, bytes: 0 };
  #nodes: readonly Node[] = [];
  #nats: NatsServer | null = null;
  #times: FrameTimes | null = null;

  constructor(name: string, load: PlaneLoad, { isRemote = false, isIdle = false } = {}) {
    this.name = name;
    this.#load = load;
    this.#isRemote = isRemote;
    this.#isIdle = isIdle;
  }

  async start(): Promise<void> {
    const { sessions: count, viewers, tickHz, warmUpMs } = this.#load;
    this.#nats = this.#isRemote ? await startNats() : null;
    const args = this.#nats === null ? [] : [this.#nats.url, randomBytes(8).toString("hex")];
    const owner = await Node.start(args);
    const edge = this.#isRemote ? await Node.start(args) : owner;
    this.#nodes = edge === owner ? [owner] : [owner, edge];
    const sessions = Array.from({ length: count }, () => createBenchSession(tickHz));
    await owner.request({ order: "store", sessions, isHost: true });
    if (edge !== owner) await edge.request({ order: "store", sessions, isHost: false });
    if (!this.#isIdle) {
      const sessionIds = sessions.map(({ sessionId }) => sessionId);
      const [probe, ...rest] = (await edge.request({ order: "invite", sessionIds, viewers })).tickets!;
      this.#times = await probeFrames(probe!);
      await connectViewers(rest, this.#received);
    }
    await sleep(warmUpMs);
    this.#signal("SIGSTOP");
  }

  async runRound(): Promise<Round> {
    const { viewers, sessions, tickHz, roundMs } = this.#load;
    this.#signal("SIGCONT");
    await sleep(SETTLE_MS);
    for (const node of this.#nodes) await node.request({ order: "begin" });
    this.#times?.reset();
    const framesBefore = this.#received.frames;
    const natsBefore = this.#readNatsCpuMs();
    await sleep(roundMs);
    const replies: NodeReply[] = [];
    for (const node of this.#nodes) replies.push(await node.request({ order: "end" }));
    const natsCpuMs = this.#readNatsCpuMs() - natsBefore;
    const frames = this.#received.frames - framesBefore + (this.#times?.count ?? 0);
    this.#signal("SIGSTOP");
    const ticks = replies[0]!.ticks!;
    const seconds = replies[0]!.seconds!;
    const cpuMs = replies.reduce((sum, reply) => sum + reply.cpuMs!, natsCpuMs);
    const missing = findMissing([
      { what: "ticks", done: ticks, expected: sessions * tickHz * seconds, tolerance: 0.1 },
      { what: "frames received", done: frames, expected: ticks * viewers, tolerance: FRAMES_TOLERANCE },
    ]);
    const wayMs = this.#times?.p99Ms() ?? Number.NaN;
    return {
      value: (cpuMs * 1000) / (ticks * viewers),
      missing,
      more: { "ms on the way (p99)": wayMs, "us of it in NATS": (natsCpuMs * 1000) / (ticks * viewers) },
    };
  }

  async stop(): Promise<void> {
    for (const node of this.#nodes) node.signal("SIGKILL");
    await this.#nats?.stop();
  }

  #signal(signal: "SIGSTOP" | "SIGCONT"): void {
    for (const node of this.#nodes) node.signal(signal);
  }

  #readNatsCpuMs(): number {
    return this.#nats === null ? 0 : readProcessCpuUs(this.#nats.pid) / 1000;
  }
}
