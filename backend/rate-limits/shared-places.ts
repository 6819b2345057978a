import { toPrefixKey } from "./address-keys.ts";
import { KeyedCounter } from "./keyed-counter.ts";

/** A place that a connection holds. */
export class Place {
  readonly ip: string;
  /** Closes the connection, when it must give way to a newer one. */
  evict: () => void;
  readonly #release: (place: Place) => void;

  constructor(ip: string, evict: () => void, release: (place: Place) => void) {
    this.ip = ip;
    this.evict = evict;
    this.#release = release;
  }

  /** The connection needs the place no longer; a second call has no effect. */
  release(): void {
    this.#release(this);
  }
}

/**
 * A bounded number of places for connections that have not shown yet what they are good for. When all are taken, the
 * oldest connection of the network with the most of them gives way, so that no network can keep the others out.
 */
export class SharedPlaces {
  readonly #max: number;
  readonly #perIpMax: number | null;
  readonly #counts = new KeyedCounter();
  /** By network, each set in the order of arrival. */
  readonly #byPrefix = new Map<string, Set<Place>>();
  #count = 0;

  /** `perIpMax`: null when addresses are not limited. */
  constructor(max: number, perIpMax: number | null) {
    this.#max = max;
    this.#perIpMax = perIpMax;
  }

  get count(): number {
    return this.#count;
  }

  isFullFor(ip: string): boolean {
    return this.#perIpMax !== null && this.#counts.get(ip) >= this.#perIpMax;
  }

  /** Null when the address has too many. */
  acquire(ip: string, evict: () => void): Place | null {
    if (this.isFullFor(ip)) return null;
    if (this.#count >= this.#max) this.#evictOldest();
    const prefix = toPrefixKey(ip);
    const members = this.#byPrefix.get(prefix) ?? new Set();
    const place = new Place(ip, evict, (released) => this.#remove(released, prefix));
    this.#byPrefix.set(prefix, members.add(place));
    this.#counts.add(ip);
    this.#count += 1;
    return place;
  }

  /** Closes the oldest connection of an address. */
  evictOldestOf(ip: string): void {
    const oldest = [...(this.#byPrefix.get(toPrefixKey(ip)) ?? [])].find((place) => place.ip === ip);
    if (oldest !== undefined) evictPlace(oldest);
  }

  #evictOldest(): void {
    let fullest: ReadonlySet<Place> | undefined;
    for (const members of this.#byPrefix.values())
      if (fullest === undefined || members.size > fullest.size) fullest = members;
    const [oldest] = fullest ?? [];
    if (oldest !== undefined) evictPlace(oldest);
  }

  #remove(place: Place, prefix: string): void {
    const members = this.#byPrefix.get(prefix);
    if (members === undefined || !members.delete(place)) return;
    if (members.size === 0) this.#byPrefix.delete(prefix);
    this.#counts.remove(place.ip);
    this.#count -= 1;
  }
}

function evictPlace(place: Place): void {
  place.release();
  place.evict();
}
