interface Reservation {
  readonly ip: string | null;
  readonly expiresAtMs: number;
}

/**
 * The spectators' seats of one session: a token reserves one, its socket takes it. Times are wall-clock milliseconds.
 */
export class Seats {
  readonly max: number;
  /** Called when a spectator takes or leaves a seat. */
  readonly #onChange: () => void;
  readonly #reserved = new Map<string, Reservation>();
  readonly #taken = new Map<string, string | null>();

  constructor(max: number, onChange: () => void = () => undefined) {
    this.max = max;
    this.#onChange = onChange;
  }

  /** Connected spectators. */
  get connected(): number {
    return this.#taken.size;
  }

  /** Taken and reserved seats. */
  count(nowMs: number): number {
    this.#removeExpired(nowMs);
    return this.#taken.size + this.#reserved.size;
  }

  /** Reserves a seat until `expiresAtMs`; false if all are taken, or `perIpMax` by the address. */
  reserve(
    seat: {
      readonly tokenHash: string;
      readonly ip: string | null;
      readonly expiresAtMs: number;
      readonly perIpMax: number | null;
    },
    nowMs: number,
  ): boolean {
    if (this.count(nowMs) >= this.max) return false;
    if (seat.perIpMax !== null && seat.ip !== null && this.#countIp(seat.ip) >= seat.perIpMax) return false;
    this.#reserved.set(seat.tokenHash, { ip: seat.ip, expiresAtMs: seat.expiresAtMs });
    return true;
  }

  /** Takes the reserved seat. After a restart there is no reservation: then takes a free seat, if there is one. */
  take(tokenHash: string, ip: string | null, nowMs: number): boolean {
    const reservation = this.#reserved.get(tokenHash);
    if (reservation === undefined && this.count(nowMs) >= this.max) return false;
    this.#reserved.delete(tokenHash);
    this.#taken.set(tokenHash, reservation?.ip ?? ip);
    this.#onChange();
    return true;
  }

  /** Frees the seat. */
  leave(tokenHash: string): void {
    this.#taken.delete(tokenHash);
    this.#onChange();
  }

  #countIp(ip: string): number {
    let count = 0;
    for (const reservation of this.#reserved.values()) if (reservation.ip === ip) count += 1;
    for (const takenBy of this.#taken.values()) if (takenBy === ip) count += 1;
    return count;
  }

  #removeExpired(nowMs: number): void {
    for (const [tokenHash, { expiresAtMs }] of this.#reserved) {
      if (expiresAtMs <= nowMs) this.#reserved.delete(tokenHash);
    }
  }
}
