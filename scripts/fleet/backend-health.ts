/** Polls `/readyz` of a fleet's backends, and finds those that accept connections but do not answer. */
import { get } from "node:http";

const CHECK_EVERY_MS = 500;
/** A backend that hangs for twice as long has stopped its games anyway (`adapters/store/lease`). */
const ANSWER_TIMEOUT_MS = 1_000;

export interface BackendHealthOptions {
  /** The ports of the running backends, on the loopback. */
  readonly listPorts: () => readonly number[];
  /** Called each time that a backend has not answered in time. */
  readonly onSilent: (port: number) => void;
}

type State = "ready" | "not ready" | "silent";

/** Resolves with the status of the answer. Rejects if none comes in time. */
function askIfReady(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get({ host: "127.0.0.1", port, path: "/readyz", signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    request.once("error", reject);
    request.once("response", (response) => {
      response.once("error", reject).resume();
      resolve(response.statusCode!);
    });
  });
}

export class BackendHealth {
  readonly #options: BackendHealthOptions;
  readonly #states = new Map<number, State>();
  readonly #asked = new Set<number>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: BackendHealthOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#checkAll(), CHECK_EVERY_MS);
  }

  /** The backends for new connections: those that are ready or unchecked, else those that answer, else all that run. */
  listPorts(): readonly number[] {
    const ports = this.#options.listPorts();
    const list = (state: State) => ports.filter((port) => (this.#states.get(port) ?? "ready") === state);
    return [list("ready"), list("not ready")].find(({ length }) => length > 0) ?? ports;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #checkAll(): void {
    const ports = this.#options.listPorts();
    for (const port of this.#states.keys()) if (!ports.includes(port)) this.#states.delete(port);
    for (const port of ports) if (!this.#asked.has(port)) void this.#check(port);
  }

  async #check(port: number): Promise<void> {
    this.#asked.add(port);
    const state = await askIfReady(port)
      // If this process itself was blocked, the answer had no time to arrive.
      .catch(() => askIfReady(port))
      .then(
        (status): State => (status === 200 ? "ready" : "not ready"),
        (): State => "silent",
      );
    this.#asked.delete(port);
    if (!this.#options.listPorts().includes(port)) return;
    this.#states.set(port, state);
    if (state === "silent") this.#options.onSilent(port);
  }
}
