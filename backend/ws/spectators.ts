import { CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import { joinTicks, type TickBuffers } from "../../domain/protocol/session-tick.ts";
import type { Connection } from "./connection.ts";

/** How fast a session's ticks follow each other. */
export interface TickRate {
  readonly tickHz: number;
  /** True: the next tick may come at any time. */
  readonly lockstep: boolean;
}

/**
 * The spectators of a session that get the same bytes. Ticks are sent together, `spectatorWritesPerSecond` times a
 * second: a viewer does not notice that some ticks come 50 ms late. A tick with events is sent at once.
 */
export class Spectators {
  /** Replaced on every change: a send may close its socket, which then leaves during the iteration. */
  #connections: readonly Connection[] = [];
  #ticksPerWrite = 1;
  #unsent: TickBuffers[] = [];

  get connections(): readonly Connection[] {
    return this.#connections;
  }

  /** The new spectator gets nothing of the ticks before. */
  add(connection: Connection, { tickHz, lockstep }: TickRate): void {
    this.#flush();
    this.#ticksPerWrite = lockstep ? 1 : Math.ceil(tickHz / CHANNEL_LIMITS.spectatorWritesPerSecond);
    this.#connections = [...this.#connections, connection];
  }

  remove(connection: Connection): void {
    this.#connections = this.#connections.filter((other) => other !== connection);
  }

  /** `hasEvents`: the tick does not wait. */
  send(tick: TickBuffers, hasEvents: boolean): void {
    this.#unsent.push(tick);
    if (hasEvents || this.#unsent.length >= this.#ticksPerWrite) this.#flush();
  }

  /** Sends the ticks that wait, if any. */
  #flush(): void {
    if (this.#unsent.length === 0) return;
    const ticks = joinTicks(this.#unsent);
    this.#unsent = [];
    for (const connection of this.#connections) connection.sendTick(ticks);
  }
}
