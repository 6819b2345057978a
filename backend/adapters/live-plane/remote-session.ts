import type { CloseReason } from "../../../domain/protocol/rules.ts";
import { parseTick } from "../../../domain/protocol/session-tick.ts";
import type { Game } from "../../../games/game.ts";
import type { ChannelSocket, JoinResult, SessionListener } from "../../ports/live-channels.ts";
import type { Clock, Log } from "../../ports/system.ts";
import type { Bus, BusMessage, BusReply } from "./bus.ts";
import { CALL_TIMES, readReply } from "./owner-calls.ts";
import {
  type Call,
  type Control,
  controlSchema,
  type Joined,
  joinedSchema,
  type Link,
  parseMessage,
} from "./plane-messages.ts";
import { RemoteMember } from "./remote-member.ts";
import type { Subjects } from "./subjects.ts";

export interface RemoteOptions {
  readonly sessionId: string;
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  readonly getLink: () => Link;
  /** Called when the owner has responded. */
  readonly onLink: (link: Link) => void;
  /** Whether the session is not yet stored as ended. */
  readonly isOpen: () => Promise<boolean>;
  readonly getRules: (slug: string, rulesVersion: number) => Pick<Game, "inputs"> | undefined;
  /** Called when no listener is left. */
  readonly onUnused: () => void;
  readonly log: Log;
}

interface Attempt {
  readonly socket: ChannelSocket;
  readonly deadlineMs: number;
  readonly onJoined: (joined: Joined) => void;
  /** `disconnected`: this node has lost its connection. */
  readonly onFailed: (reason: CloseReason | "disconnected") => void;
}

/** The first byte of a control message; frames start with a WebSocket header. */
const JSON_BEGIN = "{".charCodeAt(0);

/**
 * A session of another node with its sockets on this node: one subscription for all of them. If the owner is lost,
 * players are closed with `SERVER_RESTART`; viewers rejoin at the session's new owner, or when the connection is
 * restored.
 */
export class RemoteSession {
  readonly #options: RemoteOptions;
  readonly #members = new Set<RemoteMember>();
  readonly #unsubscribe: () => void;
  #listeners: readonly SessionListener[] = [];
  /** The owner that the sockets have joined; frames of others are ignored. Null before the first join. */
  #host: { readonly id: string; readonly link: Link } | null = null;
  /** Counts losses of the owner. */
  #generation = 0;

  constructor(options: RemoteOptions) {
    const { bus, subjects, sessionId } = options;
    this.#options = options;
    this.#unsubscribe = bus.subscribe(subjects.frames(sessionId, "*"), (message) => this.#onMessage(message));
  }

  subscribe(listener: SessionListener): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
      if (this.#listeners.length > 0) return;
      this.#unsubscribe();
      this.#options.onUnused();
    };
  }

  join(socket: ChannelSocket, result: JoinResult): void {
    this.#attach({
      socket,
      deadlineMs: this.#getDeadline(),
      onJoined: (joined) => {
        const member = this.#createMember(socket, joined);
        this.#members.add(member);
        result.onJoined(member);
      },
      onFailed: (reason) => {
        if (reason === "SERVER_RESTART") this.#sendClose(socket);
        result.onRejected(reason === "disconnected" ? "SERVER_RESTART" : reason);
      },
    });
  }

  /** Handles the loss of a node; ignored if another node runs the session. */
  loseNode({ node }: Link): void {
    if (this.#host?.link.node === node) this.#loseHost();
  }

  /** This node is connected again. */
  reconnect(): void {
    if (this.#host === null) this.#rejoin();
  }

  #createMember(socket: ChannelSocket, joined: Joined): RemoteMember {
    const { bus, subjects, sessionId, getRules } = this.#options;
    const { slug, rulesVersion } = joined.hello;
    return new RemoteMember({
      socket,
      joined,
      game: getRules(slug, rulesVersion),
      send: (input) => bus.publish(subjects.input(sessionId), JSON.stringify(input)),
      onLeave: (member) => {
        if (this.#members.delete(member)) this.#sendLeave(member.place);
      },
    });
  }

  #attach(attempt: Attempt): void {
    const { bus, subjects, sessionId, getLink } = this.#options;
    const { role, tokenHash, ip, entropy } = attempt.socket;
    const call: Call = { op: "join", link: getLink(), role, tokenHash, ip, entropy };
    bus.request(subjects.call(sessionId), JSON.stringify(call), CALL_TIMES.timeoutMs, (reply) =>
      this.#onJoinReply(attempt, reply),
    );
  }

  #onJoinReply(attempt: Attempt, reply: BusReply): void {
    if (reply.kind === "no-responders" || reply.kind === "timeout") {
      void this.#attachAgain(attempt);
      return;
    }
    const joined = reply.kind === "reply" ? readJoined(reply.data) : null;
    if (joined === null) attempt.onFailed(reply.kind === "disconnected" ? "disconnected" : "SERVER_RESTART");
    else if (!joined.joined) attempt.onFailed(joined.reason);
    else {
      this.#options.onLink(joined.link);
      if (this.#host !== null && this.#host.id !== joined.host) this.#loseHost();
      this.#host = { id: joined.host, link: joined.link };
      attempt.onJoined(joined);
    }
  }

  /** No node runs the session: it has ended, or will soon run on another node. */
  async #attachAgain(attempt: Attempt): Promise<void> {
    const { clock, isOpen, log, sessionId } = this.#options;
    try {
      if (!(await isOpen())) attempt.onFailed("SESSION_ENDED");
      else if (clock.monotonicMs() >= attempt.deadlineMs) attempt.onFailed("SERVER_RESTART");
      else clock.after(CALL_TIMES.retryMs, () => this.#attach(attempt));
    } catch (error) {
      log.warn({ err: error, sessionId }, "a session of another node could not be read");
      attempt.onFailed("SERVER_RESTART");
    }
  }

  #loseHost(): void {
    this.#host = null;
    this.#generation += 1;
    for (const { socket } of [...this.#members]) if (socket.role === "play") socket.close("SERVER_RESTART");
    this.#rejoin();
  }

  /** All members are viewers at this point. */
  #rejoin(): void {
    const generation = this.#generation;
    for (const member of this.#members)
      this.#attach({
        socket: member.socket,
        deadlineMs: this.#getDeadline(),
        onJoined: (joined) => {
          if (this.#members.has(member)) member.move(joined);
          else this.#sendLeave(joined);
        },
        onFailed: (reason) => {
          if (reason !== "disconnected" && generation === this.#generation) member.socket.close(reason);
        },
      });
  }

  #sendLeave({ host, epoch }: Pick<Joined, "host" | "epoch">): void {
    const { bus, subjects, sessionId } = this.#options;
    const call: Call = { op: "leave", host, epoch };
    bus.publish(subjects.call(sessionId), JSON.stringify(call));
  }

  /** An owner that was only delayed still handles the join, and then this call, which ends it. */
  #sendClose({ tokenHash }: ChannelSocket): void {
    const { bus, subjects, sessionId } = this.#options;
    const call: Call = { op: "close", tokenHash };
    bus.publish(subjects.call(sessionId), JSON.stringify(call));
  }

  #onMessage({ subject, data }: BusMessage): void {
    const host = this.#host;
    // safeguard: take-frames-of-known-host
    if (host === null || !subject.endsWith(`.${host.id}`)) return;
    const { log, sessionId } = this.#options;
    const tick = data[0] === JSON_BEGIN ? null : parseTick(data);
    if (tick !== null) {
      for (const listener of this.#listeners) listener.onTick(tick);
      return;
    }
    const control = parseMessage(controlSchema, data);
    if (control === null) log.warn({ sessionId }, "a message of another node does not have the expected form");
    else this.#onControl(control, host.id);
  }

  #onControl(control: Control, host: string): void {
    if (control.t === "moved") this.#loseHost();
    else if (control.t === "end") {
      this.#members.clear();
      for (const listener of this.#listeners) listener.onEnd(control.end);
    } else {
      const { epoch } = control;
      const member = [...this.#members].find(({ place }) => place.epoch === epoch && place.host === host);
      if (control.t === "denied") member?.onDenied();
      else member?.socket.close(control.reason);
    }
  }

  #getDeadline(): number {
    return this.#options.clock.monotonicMs() + CALL_TIMES.movedMs;
  }
}

/** Null if the owner failed. */
function readJoined(data: Uint8Array) {
  try {
    return readReply(joinedSchema, data);
  } catch {
    return null;
  }
}
