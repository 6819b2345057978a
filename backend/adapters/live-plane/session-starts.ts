import { ArcadeError } from "../../../domain/errors.ts";
import type { SessionStart, SessionStarts } from "../../ports/live.ts";
import type { SessionRow, SessionStore } from "../../ports/store/sessions.ts";
import type { Clock, Log } from "../../ports/system.ts";
import { type Bus, type BusMessage, NO_RESPONDER } from "./bus.ts";
import { CALL_TIMES, readReply } from "./owner-calls.ts";
import type { Peers } from "./peers.ts";
import { parseMessage, type Reply, startedSchema, startSchema, toErrorReply } from "./plane-messages.ts";
import type { Subjects } from "./subjects.ts";

interface StartOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly node: string;
  readonly getPeers: () => Pick<Peers, "pickHost" | "hasHost" | "announce">;
  readonly sessions: Pick<SessionStore, "find">;
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  readonly log: Log;
}

const createUnavailableError = (message: string): ArcadeError =>
  new ArcadeError("SHUTTING_DOWN", `${message}; try again in a second.`, { retryAfterSeconds: 1 });

/** Sessions that one node starts for another, which runs no games. */
export class PlaneStarts implements SessionStarts {
  readonly #options: StartOptions;
  #stop: (() => Promise<void>) | null = null;
  #isDraining = false;

  constructor(options: StartOptions) {
    this.#options = options;
  }

  /** Whether this node currently starts sessions for others. */
  get isServing(): boolean {
    return this.#stop !== null && !this.#isDraining;
  }

  /** While this node drains, others start no sessions here. */
  setDraining(isDraining: boolean): void {
    this.#isDraining = isDraining;
    this.#options.getPeers().announce();
  }

  /** Why no session can be started on another node; null if one can. */
  findProblem(): string | null {
    return this.#options.getPeers().hasHost ? null : "no server runs games (ARCADE_ROLES=live)";
  }

  /** Starts sessions for other nodes until `stop`. Call it once. */
  serve(starts: SessionStarts): void {
    const { bus, subjects, node, log, getPeers } = this.#options;
    const isServing = (): boolean => this.isServing;
    this.#stop = serveStarts({ bus, log, subject: subjects.starts(node), isServing }, starts);
    getPeers().announce();
  }

  /** Resolves when the starts in progress are answered. */
  async stop(): Promise<void> {
    const stop = this.#stop;
    if (stop === null) return;
    this.#stop = null;
    this.#options.getPeers().announce();
    await stop();
  }

  /**
   * Calls the node that runs the fewest games, then the others if it is full or leaves; waits at most 5 s. Throws
   * `SHUTTING_DOWN` if none starts the session, and the errors of the called node.
   */
  async open(start: SessionStart): Promise<SessionRow> {
    const { getPeers, clock } = this.#options;
    const deadlineMs = clock.monotonicMs() + CALL_TIMES.movedMs;
    const asked = new Set<string>();
    let full: ArcadeError | null = null;
    for (;;) {
      const node = getPeers().pickHost(asked);
      if (node !== null) {
        asked.add(node);
        const result = await this.#ask(node, start);
        if (result !== null && !(result instanceof ArcadeError)) return result;
        full ??= result;
      } else if (full !== null) throw full;
      else if (clock.monotonicMs() >= deadlineMs) throw createUnavailableError("No server runs games now");
      else {
        asked.clear();
        await new Promise<void>((resolve) => clock.after(CALL_TIMES.retryMs, resolve));
      }
    }
  }

  /** The started session; `SERVER_FULL` if the node has no place; null if the node is gone. */
  async #ask(node: string, start: SessionStart): Promise<SessionRow | ArcadeError | null> {
    const { bus, subjects, sessions } = this.#options;
    const reply = await bus.ask(subjects.starts(node), JSON.stringify(start), CALL_TIMES.timeoutMs);
    if (reply.kind === "no-responders") return null;
    try {
      if (reply.kind === "reply") readReply(startedSchema, reply.data);
    } catch (error) {
      if (error instanceof ArcadeError && error.code === "SERVER_FULL") return error;
      throw error;
    }
    // Also after a lost response: if the node may have started the session, no other one may be called.
    const row = await sessions.find(start.sessionId);
    if (row === null) throw createUnavailableError("The server that runs games does not answer");
    return row;
  }
}

interface ServeOptions extends Pick<StartOptions, "bus" | "log"> {
  readonly subject: string;
  readonly isServing: () => boolean;
}

/** Starts sessions for other nodes; the returned function waits for the starts in progress. */
function serveStarts({ bus, subject, log, isServing }: ServeOptions, starts: SessionStarts): () => Promise<void> {
  const running = new Set<Promise<void>>();
  const answer = async (message: BusMessage): Promise<void> => {
    const respond = (reply: Reply): void => message.respond(JSON.stringify(reply));
    const start = parseMessage(startSchema, message.data);
    if (start === null) {
      log.warn({}, "a start of another node does not have the expected form");
      respond(toErrorReply(new ArcadeError("BAD_REQUEST", "Expected a start of the live plane.")));
      return;
    }
    try {
      const { sessionId } = await starts.open(start);
      respond({ ok: true, value: { sessionId } });
    } catch (error) {
      if (!(error instanceof ArcadeError)) log.error({ err: error }, "a start of another node failed");
      respond(toErrorReply(error));
    }
  };
  // Until the connection closes, so that requests that arrive while this node stops are answered too.
  bus.subscribe(subject, (message) => {
    if (!isServing()) {
      message.respond(NO_RESPONDER);
      return;
    }
    const answered = answer(message).finally(() => running.delete(answered));
    running.add(answered);
  });
  return async () => {
    await Promise.all(running);
  };
}
