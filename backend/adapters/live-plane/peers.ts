import type { LiveTotals } from "../../ports/live.ts";
import type { Clock } from "../../ports/system.ts";
import type { Bus } from "./bus.ts";
import { type Link, parseMessage, type Totals, totalsSchema } from "./plane-messages.ts";

/** After this many periods of silence a node is lost. */
const SILENT_PERIODS = 4;

interface Peer {
  connection: number;
  heardAtMs: number;
  takesStarts: boolean;
  totals: Totals["totals"];
  /** The number of sessions that this node has requested from it since its last message. */
  askedStarts: number;
}

interface PeerOptions {
  readonly bus: Bus;
  readonly subject: string;
  readonly node: string;
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  /** How often this node announces what it hosts. */
  readonly periodMs: number;
  readonly readTotals: () => Totals["totals"];
  /** Whether this node currently starts sessions for others. */
  readonly takesStarts: () => boolean;
  /** Called when members that joined over a node's connection are lost. */
  readonly onLost: (link: Link) => void;
}

/**
 * The other nodes: what they host, and whether they can be reached. Each publishes its totals once per period. A node
 * is lost if it is silent, leaves, or had to reconnect to NATS.
 */
export class Peers {
  readonly #options: PeerOptions;
  readonly #peers = new Map<string, Peer>();
  readonly #unsubscribe: () => void;
  #connection = 1;
  #version = 0;
  #cancel: () => void = () => undefined;

  constructor(options: PeerOptions) {
    this.#options = options;
    const { bus, subject } = options;
    this.#unsubscribe = bus.subscribe(subject, ({ data }) => {
      const message = parseMessage(totalsSchema, data);
      if (message !== null && message.link.node !== options.node) this.#onTotals(message);
    });
    this.#announceAndCheck();
  }

  /** This node, as other nodes see it. */
  get link(): Link {
    return { node: this.#options.node, connection: this.#connection };
  }

  /** Changes after each message of a node that hosts sessions. */
  get version(): number {
    return this.#version;
  }

  /** The sum over all other nodes. */
  getTotals(slug: string, source?: string): LiveTotals {
    const sum = { sessions: 0, spectators: 0 };
    for (const { totals } of this.#peers.values())
      for (const row of totals) {
        if (row.slug !== slug || (source !== undefined && row.source !== source)) continue;
        sum.sessions += row.sessions;
        sum.spectators += row.spectators;
      }
    return sum;
  }

  /** Called for a message from this node, which is watched from now on. */
  add({ node, connection }: Link): void {
    const peer = this.#peers.get(node);
    const heardAtMs = this.#options.clock.monotonicMs();
    if (peer === undefined)
      this.#peers.set(node, { connection, heardAtMs, takesStarts: false, totals: [], askedStarts: 0 });
  }

  /** Whether another known node starts sessions. */
  get hasHost(): boolean {
    return [...this.#peers.values()].some(({ takesStarts }) => takesStarts);
  }

  /**
   * The node that runs the fewest sessions, among those that start new ones and are not in `except`; null if there is
   * none.
   */
  pickHost(except: ReadonlySet<string>): string | null {
    const hosts = [...this.#peers].filter(([node, { takesStarts }]) => takesStarts && !except.has(node));
    const count = ({ totals, askedStarts }: Peer): number =>
      totals.reduce((sum, { sessions }) => sum + sessions, askedStarts);
    const [first] = hosts.sort(([, one], [, other]) => count(one) - count(other));
    if (first === undefined) return null;
    const [node, peer] = first;
    peer.askedStarts += 1;
    return node;
  }

  /** All peers are lost: this node has no connection. */
  loseAll(): void {
    for (const node of [...this.#peers.keys()]) this.#lose(node);
  }

  /** This node is connected again: other nodes learn that earlier joins are lost. */
  reconnect(): void {
    this.#connection += 1;
    this.#announce(false);
  }

  /** Publishes the totals at once, without waiting for the end of the period. */
  announce(): void {
    this.#announce(false);
  }

  /** Publishes that this node is shutting down. */
  leave(): void {
    this.#cancel();
    this.#announce(true);
    this.#unsubscribe();
  }

  #onTotals({ link, leaving, takesStarts, totals }: Totals): void {
    const { node, connection } = link;
    const peer = this.#peers.get(node);
    if (peer !== undefined && connection < peer.connection) return;
    if (totals.length > 0 || (peer !== undefined && peer.totals.length > 0)) this.#version += 1;
    if (leaving || (peer !== undefined && connection > peer.connection)) this.#lose(node);
    const heardAtMs = this.#options.clock.monotonicMs();
    if (!leaving) this.#peers.set(node, { connection, heardAtMs, takesStarts, totals, askedStarts: 0 });
  }

  #announceAndCheck(): void {
    const { clock, periodMs } = this.#options;
    this.#announce(false);
    const silentSinceMs = clock.monotonicMs() - SILENT_PERIODS * periodMs;
    for (const [node, { heardAtMs }] of this.#peers) if (heardAtMs < silentSinceMs) this.#lose(node);
    this.#cancel = clock.after(periodMs, () => this.#announceAndCheck());
  }

  #announce(leaving: boolean): void {
    const { bus, subject, readTotals } = this.#options;
    const takesStarts = !leaving && this.#options.takesStarts();
    const message: Totals = { link: this.link, leaving, takesStarts, totals: leaving ? [] : readTotals() };
    bus.publish(subject, JSON.stringify(message));
  }

  #lose(node: string): void {
    const peer = this.#peers.get(node);
    if (peer === undefined) return;
    this.#peers.delete(node);
    this.#version += 1;
    this.#options.onLost({ node, connection: peer.connection });
  }
}
