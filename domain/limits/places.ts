import { toPrefixKey } from "./address-keys.ts";

/**
 * What a place is used for: idle, waiting for a request or a token, working for a guest, or serving a player, who has
 * signed in and holds an identity.
 */
export type Worth = "idle" | "waiting" | "busy" | "player";

/** The lowest is given up first. Waiting ones are new, or give way to each other (`waitingPerIp`). */
const RANKS: { readonly [worth in Worth]: number } = { idle: 0, waiting: 1, busy: 1, player: 2 };

/** The places of an address, or of a network. */
class Group {
  guests = 0;
  size = 0;

  add(worth: Worth, count: 1 | -1): void {
    this.size += count;
    if (worth !== "player") this.guests += count;
  }
}

class Network extends Group {
  readonly prefix: string;
  readonly addresses = new Map<string, Address>();

  constructor(prefix: string) {
    super();
    this.prefix = prefix;
  }
}

class Address extends Group {
  readonly ip: string;
  readonly network: Network;
  /** In the order of arrival. */
  readonly places = new Set<Place>();

  constructor(ip: string, network: Network) {
    super();
    this.ip = ip;
    this.network = network;
  }
}

/** A place that its holder gives back, or loses to a newer one. */
export class Place {
  readonly address: Address;
  /** Ends the holder's work when a new holder takes the place. */
  evict: () => void;
  readonly #places: Places;
  #worth: Worth;

  constructor(places: Places, address: Address, worth: Worth, evict: () => void) {
    this.#places = places;
    this.address = address;
    this.#worth = worth;
    this.evict = evict;
  }

  get worth(): Worth {
    return this.#worth;
  }

  /** A player's place stays one until it is released. */
  setWorth(worth: Worth): void {
    if (this.#worth === "player" || this.#worth === worth) return;
    const before = this.#worth;
    this.#worth = worth;
    this.#places.onWorthChanged(this, before);
  }

  /** Releases the place; a second call has no effect. */
  release(): void {
    this.#places.remove(this);
  }
}

interface PlacesOptions {
  readonly inAll: number;
  /** Per address; null if addresses are not limited. */
  readonly perIp: number | null;
  /** Limit for `waiting` connections of one address, which replace each other. Null: no separate limit. */
  readonly waitingPerIp?: number | null;
}

/**
 * A bounded number of places with fair shares. When all are taken, the network with the most guests (IPv4 /24, IPv6
 * /48) loses one: of its address with the most (IPv4, IPv6 /64), an idle one, or else the oldest. Only players can
 * replace players.
 */
export class Places {
  readonly #options: PlacesOptions;
  readonly #networks = new Map<string, Network>();
  #count = 0;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#count;
  }

  /** The addresses that hold a place. */
  countAddresses(): number {
    let count = 0;
    for (const { addresses } of this.#networks.values()) count += addresses.size;
    return count;
  }

  countWaiting(): number {
    let count = 0;
    for (const { addresses } of this.#networks.values())
      for (const { places } of addresses.values()) for (const { worth } of places) count += worth === "waiting" ? 1 : 0;
    return count;
  }

  /** Null if players hold all places of the address. */
  acquire(ip: string, worth: Worth, evict: () => void): Place | null {
    const { inAll, perIp } = this.#options;
    const prefix = toPrefixKey(ip);
    const own = this.#networks.get(prefix)?.addresses.get(ip);
    if (own !== undefined && perIp !== null && own.size >= perIp) {
      // safeguard: evict-own-guests
      if (own.guests === 0) return null;
      evictOf(own);
    }
    // safeguard: evict-guests
    if (this.#count >= inAll) this.#evictOne();
    const place = new Place(this, this.#getAddress(prefix, ip), worth, evict);
    this.#add(place);
    this.#boundWaiting(place);
    return place;
  }

  /** Whether the fullest network has at least two guests more than that of the address, so that losing one is fair. */
  hasClaim(ip: string): boolean {
    const fullest = findFullest(this.#networks.values());
    const own = this.#networks.get(toPrefixKey(ip));
    return fullest !== undefined && fullest.guests >= (own?.guests ?? 0) + 2;
  }

  /** For `Place`. */
  onWorthChanged(place: Place, before: Worth): void {
    const { address } = place;
    if (!address.places.has(place)) return;
    for (const group of [address.network, address]) {
      group.add(before, -1);
      group.add(place.worth, 1);
    }
    this.#boundWaiting(place);
  }

  /** For `Place`. */
  remove(place: Place): void {
    const { address } = place;
    const { network } = address;
    if (!address.places.delete(place)) return;
    network.add(place.worth, -1);
    address.add(place.worth, -1);
    if (address.size === 0) network.addresses.delete(address.ip);
    if (network.size === 0) this.#networks.delete(network.prefix);
    this.#count -= 1;
  }

  #getAddress(prefix: string, ip: string): Address {
    const network = this.#networks.get(prefix) ?? new Network(prefix);
    const address = network.addresses.get(ip) ?? new Address(ip, network);
    this.#networks.set(prefix, network);
    network.addresses.set(ip, address);
    return address;
  }

  #add(place: Place): void {
    const { address } = place;
    address.places.add(place);
    address.network.add(place.worth, 1);
    address.add(place.worth, 1);
    this.#count += 1;
  }

  #boundWaiting({ address: { places }, worth }: Place): void {
    const { waitingPerIp = null } = this.#options;
    if (worth !== "waiting" || waitingPerIp === null || places.size <= waitingPerIp) return;
    const waiting = [...places].filter((place) => place.worth === "waiting");
    if (waiting.length > waitingPerIp) evictPlace(waiting[0]!);
  }

  #evictOne(): void {
    const network = findFullest(this.#networks.values());
    const address = network && findFullest(network.addresses.values());
    if (address !== undefined) evictOf(address);
  }
}

/** The group with the most guests, of players only if there are no guests; of equal ones the oldest. */
function findFullest<Of extends Group>(groups: Iterable<Of>): Of | undefined {
  let fullest: Of | undefined;
  for (const group of groups) {
    const isFuller =
      fullest === undefined ||
      group.guests > fullest.guests ||
      (fullest.guests === 0 && group.guests === 0 && group.size > fullest.size);
    if (isFuller) fullest = group;
  }
  return fullest;
}

function evictOf({ places }: Address): void {
  let least: Place | undefined;
  for (const place of places) if (least === undefined || RANKS[place.worth] < RANKS[least.worth]) least = place;
  if (least !== undefined) evictPlace(least);
}

function evictPlace(place: Place): void {
  place.release();
  place.evict();
}
