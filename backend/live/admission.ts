import { ArcadeError } from "../../domain/errors.ts";
import { SESSION_LIMITS } from "../../domain/limits/limits.ts";
import { Places } from "../../domain/limits/places.ts";
import type { SessionSource } from "../../domain/session.ts";
import type { LiveSession } from "./session.ts";

/** A session that will be stored and opened next. */
export interface Admitted {
  readonly source: SessionSource;
  /** Key of the address that starts it. */
  readonly ip: string | null;
}

interface AdmissionOptions {
  /** The sessions of this process, oldest first. */
  readonly getSessions: () => Iterable<LiveSession>;
  /** Counts sessions that have a place but do not run again yet after a restart. */
  readonly countRecovering: () => number;
  /** The maximum number of sessions that run at once. */
  readonly max: number;
  readonly limitPerIp: boolean;
}

const RETRY_AFTER_SECONDS = 30;

/** Sessions with an unknown address count as one network. */
const UNKNOWN_IP = "";

const isPractice = ({ row }: LiveSession): boolean => row.source === "browser_ws";
const isAbandonedPractice = (session: LiveSession): boolean => isPractice(session) && !session.playerConnected;

/** The next place must come from a practice session. */
function listPlaces(running: readonly LiveSession[]): Places {
  const places = new Places({ inAll: running.length, perIp: null });
  for (const session of running) {
    const worth = isAbandonedPractice(session) ? "idle" : isPractice(session) ? "busy" : "player";
    places.acquire(session.ip ?? UNKNOWN_IP, worth, () => session.end("yielded"));
  }
  return places;
}

const createAddressError = (max: number, what: string): ArcadeError =>
  new ArcadeError("RATE_LIMITED", `Expected at most ${max} running ${what} of one address; end one first.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/**
 * Limits the running sessions of the process and of each address. Practice yields to a ranked session that finds no
 * free place, and to practice of a network with at least two sessions fewer; the network with the most (`Places`) loses
 * one. A practice session without a connected player yields to the next session of its address.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #admitted = new Set<Admitted>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Reserves a place until the returned function is called. Throws `RATE_LIMITED` if the address has too many sessions,
   * and `SERVER_FULL` if the process has and none yields.
   */
  admit(admitted: Admitted): () => void {
    const { max, countRecovering } = this.#options;
    this.#assertAddressHasPlace(admitted);
    const running = this.#listRunning();
    const isFull = running.length + countRecovering() + this.#admitted.size >= max;
    const { source, ip } = admitted;
    const hasClaim = (): boolean =>
      source === "browser_ws" ? listPlaces(running).hasClaim(ip ?? UNKNOWN_IP) : running.some(isPractice);
    if (isFull && !hasClaim())
      throw new ArcadeError("SERVER_FULL", `All ${max} places for games are taken; try again later.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    this.#admitted.add(admitted);
    return () => this.#admitted.delete(admitted);
  }

  /** Ends the sessions that yield to a new one. Call it before the new session is added. */
  makePlace({ source, ip }: Admitted): void {
    const { limitPerIp, max, countRecovering } = this.#options;
    if (limitPerIp && ip !== null) {
      const own = this.#listRunning().filter((session) => session.ip === ip);
      const isFull = own.length >= SESSION_LIMITS.perIp;
      const isPracticeFull = source === "browser_ws" && own.filter(isPractice).length >= SESSION_LIMITS.practicePerIp;
      if (isFull || isPracticeFull) own.find(isAbandonedPractice)?.end("yielded");
    }
    const running = this.#listRunning();
    const isFull = running.length + countRecovering() >= max;
    if (isFull && running.some(isPractice)) listPlaces(running).acquire(ip ?? UNKNOWN_IP, "player", () => undefined);
  }

  #assertAddressHasPlace({ source, ip }: Admitted): void {
    if (!this.#options.limitPerIp || ip === null) return;
    const own = this.#listRunning().filter((session) => session.ip === ip);
    const pending = [...this.#admitted].filter((other) => other.ip === ip);
    const yielding = Math.min(1, own.filter(isAbandonedPractice).length);
    if (own.length + pending.length - yielding >= SESSION_LIMITS.perIp)
      throw createAddressError(SESSION_LIMITS.perIp, "sessions");
    if (source !== "browser_ws") return;
    const practices = own.filter(isPractice).length + pending.filter((other) => other.source === source).length;
    if (practices - yielding >= SESSION_LIMITS.practicePerIp)
      throw createAddressError(SESSION_LIMITS.practicePerIp, "practice sessions");
  }

  #listRunning(): LiveSession[] {
    return [...this.#options.getSessions()].filter(({ phase }) => phase !== "ended");
  }
}
