import type { Clock } from "../ports/system.ts";
import { Lateness } from "./lateness.ts";

/** Called once per tick. */
export interface Tickable {
  readonly tickHz: number;
  tick(nowMs: number): void;
}

/** The sessions that are ticked together. */
interface Slot<T> {
  readonly tickables: Set<T>;
  /** How many sockets its last round wrote to, see `countWrites`. */
  writes: number;
}

/** Sessions of one tick rate, spread over the slots of a period so that they are not due at the same time. */
interface TimingWheel<T> {
  readonly slotMs: number;
  readonly slots: readonly Slot<T>[];
  size: number;
  /** The next slot, counted from the start and never reset: slot n is due at `start + n * slotMs`. */
  next: number;
}

/** The shortest slot: a timer costs more than a session's tick. */
const SLOT_MIN_MS = 4;
const SESSIONS_PER_SLOT = 16;
/**
 * A slot with more writes delays everything after it by milliseconds, so one of its sessions is moved to another slot.
 */
const WRITES_PER_SLOT = 100;
/** Ticks later than this are dropped: a game must not run faster than its player can see. */
const CATCH_UP_MS = 250;
/** If a timer fires early by at most this much, it is not set again. */
const EARLY_TOLERANCE_MS = 0.5;

/**
 * One timer for all sessions. Deadlines are multiples counted from a fixed start, so that late timers never add up to a
 * wrong tick rate; only ticks lost in a stall longer than `CATCH_UP_MS` are dropped.
 */
export class Scheduler<T extends Tickable = Tickable> {
  readonly lateness = new Lateness();
  /** Ticks that were dropped after a stall. */
  droppedTicks = 0;
  readonly #clock: Clock;
  readonly #onError: (tickable: T, error: unknown) => void;
  readonly #mayTick: () => boolean;
  readonly #countWrites: (tickable: T) => number;
  readonly #wheels = new Map<number, TimingWheel<T>>();
  readonly #entries = new Map<T, { readonly wheel: TimingWheel<T>; slot: Slot<T> }>();
  readonly #startedAtMs: number;
  #cancel: (() => void) | null = null;
  #running = false;

  /**
   * While `mayTick` is false nothing is ticked, and due ticks are dropped. `countWrites`: how many sockets a tick
   * writes to, so that sessions with many viewers are not due at the same time.
   */
  constructor(
    clock: Clock,
    onError: (tickable: T, error: unknown) => void,
    mayTick: () => boolean = () => true,
    countWrites: (tickable: T) => number = () => 1,
  ) {
    this.#clock = clock;
    this.#onError = onError;
    this.#mayTick = mayTick;
    this.#countWrites = countWrites;
    this.#startedAtMs = clock.monotonicMs();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Starts ticking the added sessions. */
  start(): void {
    this.#running = true;
    this.#setTimer();
  }

  /** Stops ticking until `start`. */
  stop(): void {
    this.#running = false;
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Assigns a slot in the period of its rate, with as few others as possible. */
  add(tickable: T): void {
    if (this.#entries.has(tickable)) return;
    const wheel = this.#getWheel(tickable.tickHz);
    // The position of an empty wheel is outdated.
    if (wheel.size === 0) wheel.next = this.#getSlotAt(wheel, this.#clock.monotonicMs()) + 1;
    const hasRoom = ({ tickables: { size }, writes }: Slot<T>) =>
      size > 0 && size < SESSIONS_PER_SLOT && writes < WRITES_PER_SLOT;
    const slot =
      wheel.slots.find(hasRoom) ??
      wheel.slots.reduce((least, other) => (other.tickables.size < least.tickables.size ? other : least));
    slot.tickables.add(tickable);
    wheel.size += 1;
    this.#entries.set(tickable, { wheel, slot });
    this.#setTimer();
  }

  /** Stops ticking the tickable. */
  remove(tickable: T): void {
    const entry = this.#entries.get(tickable);
    if (!entry) return;
    this.#entries.delete(tickable);
    entry.slot.tickables.delete(tickable);
    entry.wheel.size -= 1;
  }

  #getWheel(tickHz: number): TimingWheel<T> {
    const existing = this.#wheels.get(tickHz);
    if (existing) return existing;
    const count = Math.max(1, Math.floor(1000 / tickHz / SLOT_MIN_MS));
    const slots = Array.from({ length: count }, () => ({ tickables: new Set<T>(), writes: 0 }));
    const wheel = { slotMs: 1000 / tickHz / count, slots, size: 0, next: 0 };
    this.#wheels.set(tickHz, wheel);
    return wheel;
  }

  #getSlotAt(wheel: TimingWheel<T>, nowMs: number): number {
    return Math.floor((nowMs - this.#startedAtMs) / wheel.slotMs);
  }

  #getDueAtMs(wheel: TimingWheel<T>): number {
    return this.#startedAtMs + wheel.next * wheel.slotMs;
  }

  /** Moves past empty slots; the wheel has at least one session. */
  #skipEmpty(wheel: TimingWheel<T>): void {
    while (wheel.slots[wheel.next % wheel.slots.length]!.tickables.size === 0) wheel.next += 1;
  }

  #setTimer(): void {
    if (!this.#running) return;
    let dueMs = Number.POSITIVE_INFINITY;
    for (const wheel of this.#wheels.values()) {
      if (wheel.size === 0) continue;
      this.#skipEmpty(wheel);
      dueMs = Math.min(dueMs, this.#getDueAtMs(wheel));
    }
    this.#cancel?.();
    this.#cancel = null;
    if (dueMs === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#clock.after(dueMs - this.#clock.monotonicMs(), () => this.#onTimer());
  }

  #onTimer(): void {
    this.#cancel = null;
    if (!this.#mayTick()) {
      this.#cancel = this.#clock.after(CATCH_UP_MS, () => this.#onTimer());
      return;
    }
    for (const wheel of this.#wheels.values()) this.#runDue(wheel);
    this.#setTimer();
  }

  #runDue(wheel: TimingWheel<T>): void {
    while (wheel.size > 0) {
      this.#skipEmpty(wheel);
      const nowMs = this.#clock.monotonicMs();
      const lateMs = nowMs - this.#getDueAtMs(wheel);
      if (lateMs < -EARLY_TOLERANCE_MS) return;
      if (lateMs > CATCH_UP_MS) {
        const currentSlot = this.#getSlotAt(wheel, nowMs);
        this.droppedTicks += Math.floor((currentSlot - wheel.next) / wheel.slots.length) * wheel.size;
        wheel.next = currentSlot;
        continue;
      }
      const slot = wheel.slots[wheel.next % wheel.slots.length]!;
      wheel.next += 1;
      slot.writes = 0;
      for (const tickable of slot.tickables) {
        slot.writes += this.#countWrites(tickable);
        const startedMs = this.#clock.monotonicMs();
        this.lateness.record(startedMs - (nowMs - lateMs));
        try {
          tickable.tick(startedMs);
        } catch (error) {
          this.#onError(tickable, error);
        }
      }
      if (slot.writes > WRITES_PER_SLOT) this.#relieve(slot, wheel);
    }
  }

  /** Moves one session to the slot with the fewest writes, if that slot stays below this one. */
  #relieve(slot: Slot<T>, wheel: TimingWheel<T>): void {
    const least = wheel.slots.reduce((one, other) => (this.#getWrites(other) < this.#getWrites(one) ? other : one));
    for (const tickable of slot.tickables) {
      const writes = this.#countWrites(tickable);
      if (this.#getWrites(least) + writes >= slot.writes) continue;
      slot.tickables.delete(tickable);
      slot.writes -= writes;
      least.writes = this.#getWrites(least) + writes;
      least.tickables.add(tickable);
      this.#entries.get(tickable)!.slot = least;
      return;
    }
  }

  /** The figure of an empty slot is outdated. */
  #getWrites(slot: Slot<T>): number {
    return slot.tickables.size === 0 ? 0 : slot.writes;
  }
}
