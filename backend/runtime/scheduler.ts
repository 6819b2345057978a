import type { Clock } from "../ports/clock.ts";
import { Lateness } from "./lateness.ts";

/** Something that is called once a tick. */
export interface Ticking {
  readonly tickHz: number;
  tick(nowMs: number): void;
}

/** Sessions of one tick rate, spread over the slots of a period so that they do not all fall due at once. */
interface Wheel<T> {
  readonly slotMs: number;
  readonly slots: Set<T>[];
  size: number;
  /** The slot that is due next, counted from the start and never reset: the n-th is due at `start + n * slotMs`. */
  next: number;
}

/** Waking up costs more than a session's tick: few sessions share a slot, and slots are no narrower than this. */
const SLOT_MS = 4;
const SHARED_BY = 16;
/** Later than this the past is given up: a game must not run ahead of its player to catch up. */
const CATCH_UP_MS = 250;
/** A timer that wakes this little too early need not be set again. */
const EARLY_MS = 0.5;

/**
 * One timer for all sessions. Deadlines are multiples counted from a fixed start, so that late timers never add up to
 * a wrong tick rate; only a stall longer than `CATCH_UP_MS` is dropped.
 */
export class Scheduler<T extends Ticking = Ticking> {
  readonly lateness = new Lateness();
  /** Ticks that were given up after a stall. */
  droppedTicks = 0;
  readonly #clock: Clock;
  readonly #onFault: (ticking: T, cause: unknown) => void;
  readonly #wheels = new Map<number, Wheel<T>>();
  readonly #places = new Map<T, { readonly wheel: Wheel<T>; readonly slot: Set<T> }>();
  readonly #startMs: number;
  #cancel: (() => void) | null = null;
  #running = false;

  constructor(clock: Clock, onFault: (ticking: T, cause: unknown) => void) {
    this.#clock = clock;
    this.#onFault = onFault;
    this.#startMs = clock.monotonicMs();
  }

  get size(): number {
    return this.#places.size;
  }

  start(): void {
    this.#running = true;
    this.#arm();
  }

  stop(): void {
    this.#running = false;
    this.#cancel?.();
    this.#cancel = null;
  }

  add(ticking: T): void {
    if (this.#places.has(ticking)) return;
    const wheel = this.#wheelOf(ticking.tickHz);
    // An empty wheel stood still: it goes on from the present.
    if (wheel.size === 0) wheel.next = this.#slotAt(wheel, this.#clock.monotonicMs()) + 1;
    const slot =
      wheel.slots.find((some) => some.size > 0 && some.size < SHARED_BY) ??
      wheel.slots.reduce((least, other) => (other.size < least.size ? other : least));
    slot.add(ticking);
    wheel.size += 1;
    this.#places.set(ticking, { wheel, slot });
    this.#arm();
  }

  remove(ticking: T): void {
    const place = this.#places.get(ticking);
    if (!place) return;
    this.#places.delete(ticking);
    place.slot.delete(ticking);
    place.wheel.size -= 1;
  }

  #wheelOf(tickHz: number): Wheel<T> {
    const known = this.#wheels.get(tickHz);
    if (known) return known;
    const count = Math.max(1, Math.floor(1000 / tickHz / SLOT_MS));
    const slots = Array.from({ length: count }, () => new Set<T>());
    const wheel = { slotMs: 1000 / tickHz / count, slots, size: 0, next: 0 };
    this.#wheels.set(tickHz, wheel);
    return wheel;
  }

  #slotAt(wheel: Wheel<T>, nowMs: number): number {
    return Math.floor((nowMs - this.#startMs) / wheel.slotMs);
  }

  #dueMs(wheel: Wheel<T>): number {
    return this.#startMs + wheel.next * wheel.slotMs;
  }

  /** Moves past empty slots; the wheel has at least one session. */
  #skipEmpty(wheel: Wheel<T>): void {
    while (wheel.slots[wheel.next % wheel.slots.length]!.size === 0) wheel.next += 1;
  }

  #arm(): void {
    if (!this.#running) return;
    let dueMs = Number.POSITIVE_INFINITY;
    for (const wheel of this.#wheels.values()) {
      if (wheel.size === 0) continue;
      this.#skipEmpty(wheel);
      dueMs = Math.min(dueMs, this.#dueMs(wheel));
    }
    this.#cancel?.();
    this.#cancel = null;
    if (dueMs === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#clock.after(dueMs - this.#clock.monotonicMs(), () => this.#wake());
  }

  #wake(): void {
    this.#cancel = null;
    for (const wheel of this.#wheels.values()) this.#runDue(wheel);
    this.#arm();
  }

  #runDue(wheel: Wheel<T>): void {
    while (wheel.size > 0) {
      this.#skipEmpty(wheel);
      const nowMs = this.#clock.monotonicMs();
      const lateMs = nowMs - this.#dueMs(wheel);
      if (lateMs < -EARLY_MS) return;
      if (lateMs > CATCH_UP_MS) {
        const present = this.#slotAt(wheel, nowMs);
        this.droppedTicks += Math.floor((present - wheel.next) / wheel.slots.length) * wheel.size;
        wheel.next = present;
        continue;
      }
      const slot = wheel.slots[wheel.next % wheel.slots.length]!;
      wheel.next += 1;
      for (const ticking of slot) {
        const startedMs = this.#clock.monotonicMs();
        this.lateness.note(startedMs - (nowMs - lateMs));
        try {
          ticking.tick(startedMs);
        } catch (cause) {
          this.#onFault(ticking, cause);
        }
      }
    }
  }
}
