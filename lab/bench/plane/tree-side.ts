/** A side of the bench: one session, and its viewers spread over several other nodes. */
import { randomBytes } from "node:crypto";
import { type NatsServer, startNats } from "../../../test/helpers/nats.ts";
import type { Round, Side } from "../compare/types.ts";
import { findMissing } from "../compare/work.ts";
import { createBenchSession } from "../ws/arcade.ts";
import { connectViewers, type Received } from "../ws/viewer.ts";
import { type CountingProxy, startCountingProxy } from "./counting-proxy.ts";
import { Node } from "./node-process.ts";

export interface TreeLoad {
  /** Nodes with viewers; the session runs on another one. */
  readonly edges: number;
  /** Of each edge. */
  readonly viewers: number;
  readonly tickHz: number;
  readonly roundMs: number;
  /** Until the code is compiled. */
  readonly warmUpMs: number;
}

const SETTLE_MS = 1_000;
/** The windows of processes begin and end with their own messages. */
const TOLERANCE = 0.15;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** `isIdle`: no viewer connects. */
export class TreeSide implements Side {
  readonly name: string;
  readonly #load: TreeLoad;
  readonly #isIdle: boolean;
  readonly #received: Received = { frames: 0, bytes: 0 };
  #nats: NatsServer | null = null;
  /** Between the owner and NATS. */
  #proxy: CountingProxy | null = null;
  /** The owner first. */
  #nodes: readonly Node[] = [];

  constructor(name: string, load: TreeLoad, { isIdle = false } = {}) {
    this.name = name;
    this.#load = load;
    this.#isIdle = isIdle;
  }

  async start(): Promise<void> {
    const { edges, viewers, tickHz, warmUpMs } = this.#load;
    this.#nats = await startNats();
    this.#proxy = await startCountingProxy(Number(new URL(this.#nats.url).port));
    const deploymentId = randomBytes(8).toString("hex");
    const owner = await Node.start([`nats://127.0.0.1:${this.#proxy.port}`, deploymentId]);
    this.#nodes = [owner];
    const session = createBenchSession(tickHz);
    await owner.request({ order: "store", sessions: [session], isHost: true });
    for (let n = 0; n < edges; n++) {
      const edge = await Node.start([this.#nats.url, deploymentId]);
      this.#nodes = [...this.#nodes, edge];
      await edge.request({ order: "store", sessions: [session], isHost: false });
      if (this.#isIdle) continue;
      const { tickets } = await edge.request({ order: "invite", sessionIds: [session.sessionId], viewers });
      await connectViewers(tickets!, this.#received);
    }
    await sleep(warmUpMs);
    this.#signal("SIGSTOP");
  }

  async runRound(): Promise<Round> {
    const { edges, viewers, tickHz, roundMs } = this.#load;
    const [owner] = this.#nodes;
    this.#signal("SIGCONT");
    await sleep(SETTLE_MS);
    await owner!.request({ order: "begin" });
    const framesBefore = this.#received.frames;
    const bytesBefore = this.#proxy!.sentBytes;
    await sleep(roundMs);
    const reply = await owner!.request({ order: "end" });
    const bytes = this.#proxy!.sentBytes - bytesBefore;
    const frames = this.#received.frames - framesBefore;
    this.#signal("SIGSTOP");
    const ticks = reply.ticks!;
    const seconds = reply.seconds!;
    const missing = findMissing([
      { what: "ticks", done: ticks, expected: tickHz * seconds, tolerance: TOLERANCE },
      { what: "frames received", done: frames, expected: ticks * edges * viewers, tolerance: TOLERANCE },
    ]);
    return { value: bytes / ticks, missing, more: { "us of CPU of the owner a tick": (reply.cpuMs! * 1000) / ticks } };
  }

  async stop(): Promise<void> {
    for (const node of this.#nodes) node.signal("SIGKILL");
    this.#proxy?.close();
    await this.#nats?.stop();
  }

  #signal(signal: "SIGSTOP" | "SIGCONT"): void {
    for (const node of this.#nodes) node.signal(signal);
  }
}
