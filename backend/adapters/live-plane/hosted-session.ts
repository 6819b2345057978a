import { ArcadeError } from "../../../domain/errors.ts";
import type { EndMessage } from "../../../domain/protocol/messages.ts";
import type { SessionTick } from "../../../domain/protocol/session-tick.ts";
import type { LocalPlane, SessionListener, SessionMember } from "../../ports/live-channels.ts";
import type { Clock, Log } from "../../ports/system.ts";
import { type Bus, type BusMessage, NO_RESPONDER } from "./bus.ts";
import {
  type Control,
  callSchema,
  inputSchema,
  type JoinCall,
  type Joined,
  type Link,
  parseMessage,
  type ReceivedCall,
  type Reply,
  toErrorReply,
} from "./plane-messages.ts";
import type { Subjects } from "./subjects.ts";

interface HostedOptions {
  readonly sessionId: string;
  /** Identifies this run of the session: members of another run cannot steer it. */
  readonly host: string;
  readonly local: LocalPlane;
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly getLink: () => Link;
  /** Another node has joined. */
  readonly onLink: (link: Link) => void;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}

/** How long an ended session still responds to calls. */
const LINGER_MS = 1000;

interface RemoteSocket {
  readonly link: Link;
  readonly tokenHash: string;
  readonly member: SessionMember;
}

/**
 * A session of this process as other nodes see it: handles their calls and players' inputs, and sends frames while
 * another node listens.
 */
export class HostedSession implements SessionListener {
  readonly #options: HostedOptions;
  readonly #sockets = new Map<number, RemoteSocket>();
  readonly #epochByToken = new Map<string, number>();
  readonly #framesSubject: string;
  readonly #unsubscribers: readonly (() => void)[];
  #epoch = 0;
  #isMoved = false;
  #unsubscribeFrames: (() => void) | null = null;

  constructor(options: HostedOptions) {
    const { bus, subjects, sessionId, host } = options;
    this.#options = options;
    this.#framesSubject = subjects.frames(sessionId, host);
    this.#unsubscribers = [
      bus.subscribe(subjects.call(sessionId), (message) => this.#onCall(message)),
      bus.subscribe(subjects.input(sessionId), ({ data }) => this.#onInput(data)),
    ];
  }

  onTick(tick: SessionTick): void {
    this.#options.bus.publish(this.#framesSubject, tick.whole);
  }

  onEnd(end: EndMessage): void {
    this.#publish({ t: "end", end });
    this.#removeSockets(() => true);
  }

  onMoved(): void {
    this.moveAway();
  }

  /** A node is lost: its sockets leave as if each had closed. */
  dropNode({ node, connection }: Link): void {
    this.#removeSockets(({ link }) => link.node === node && link.connection <= connection);
  }

  /** The session has ended here; its `onEnd` follows. */
  stopListening(): void {
    // Calls in transit are still handled.
    this.#options.clock.after(LINGER_MS, () => {
      for (const unsubscribe of this.#unsubscribers) unsubscribe();
    });
  }

  /** Another process runs the session from now on. */
  moveAway(): void {
    this.#isMoved = true;
    this.stopListening();
    this.#publish({ t: "moved" });
    this.#removeSockets(() => true);
  }

  #onCall(message: BusMessage): void {
    const { log, sessionId } = this.#options;
    if (this.#isMoved) {
      message.respond(NO_RESPONDER);
      return;
    }
    const respond = (reply: Reply): void => message.respond(JSON.stringify(reply));
    const call = parseMessage(callSchema, message.data);
    if (call === null) {
      log.warn({ sessionId }, "a call of another node does not have the expected form");
      respond(toErrorReply(new ArcadeError("BAD_REQUEST", "Expected a call of the live plane.")));
    } else if (call.op === "join") this.#join(call, (value) => respond({ ok: true, value }));
    else if (call.op === "leave") {
      if (call.host === this.#options.host) this.#remove(call.epoch);
    } else {
      this.#run(call).then(
        (value) => respond({ ok: true, value }),
        (error: unknown) => {
          if (!(error instanceof ArcadeError)) log.error({ err: error, sessionId }, "a call of another node failed");
          respond(toErrorReply(error));
        },
      );
    }
  }

  async #run(call: Exclude<ReceivedCall, { op: "join" | "leave" }>): Promise<unknown> {
    const { local, sessionId } = this.#options;
    if (call.op === "view") return await local.getView(sessionId);
    if (call.op === "heartbeat") return await local.heartbeat(sessionId);
    if (call.op === "step") return await local.step(sessionId, call);
    if (call.op === "end") return (await local.end(sessionId, call.reason)) !== null;
    if (call.op === "reserve") {
      const { op: _, ...seat } = call;
      return await local.reserveSeat({ sessionId, ...seat });
    }
    local.closeChannel(sessionId, call.tokenHash);
    return null;
  }

  /** Frames follow the response: both use this node's connection. */
  #join({ link, role, tokenHash, ip, entropy }: JoinCall, respond: (value: unknown) => void): void {
    const { local, sessionId, host, getLink, onLink } = this.#options;
    onLink(link);
    // A node may join again after a short loss of its connection.
    const former = this.#epochByToken.get(tokenHash);
    if (former !== undefined) this.#remove(former);
    this.#epoch += 1;
    const epoch = this.#epoch;
    const close = (reason: Extract<Control, { t: "close" }>["reason"]): void => {
      this.#publish({ t: "close", epoch, reason });
      this.#remove(epoch);
    };
    local.join(
      sessionId,
      { role, tokenHash, ip, entropy, close },
      {
        onJoined: (member) => {
          this.#sockets.set(epoch, { link, tokenHash, member });
          this.#epochByToken.set(tokenHash, epoch);
          // Not earlier: a player's displaced socket may have been the last member, whose leaving stopped the frames.
          this.#unsubscribeFrames ??= local.subscribe(sessionId, this);
          const joined: Joined = { joined: true, link: getLink(), host, epoch, hello: member.hello };
          respond(joined);
        },
        onRejected: (reason) => respond({ joined: false, reason }),
      },
    );
  }

  #onInput(data: Uint8Array): void {
    const { log, sessionId, host } = this.#options;
    const input = parseMessage(inputSchema, data);
    if (input === null) {
      log.warn({ sessionId }, "an input of another node does not have the expected form");
      return;
    }
    const { epoch, message } = input;
    const member = input.host === host ? this.#sockets.get(epoch)?.member : undefined;
    if (message.t === "cmd") member?.runCommand(message.cmd, message.seq, () => this.#publish({ t: "denied", epoch }));
    else member?.acceptInput(message, message.seq);
  }

  #publish(control: Control): void {
    if (this.#sockets.size > 0) this.#options.bus.publish(this.#framesSubject, JSON.stringify(control));
  }

  #removeSockets(isRemoved: (socket: RemoteSocket) => boolean): void {
    for (const [epoch, socket] of [...this.#sockets]) if (isRemoved(socket)) this.#remove(epoch);
  }

  #remove(epoch: number): void {
    const socket = this.#sockets.get(epoch);
    if (socket === undefined) return;
    this.#sockets.delete(epoch);
    if (this.#epochByToken.get(socket.tokenHash) === epoch) this.#epochByToken.delete(socket.tokenHash);
    socket.member.leave();
    this.#stopFramesIfUnused();
  }

  #stopFramesIfUnused(): void {
    if (this.#sockets.size > 0) return;
    this.#unsubscribeFrames?.();
    this.#unsubscribeFrames = null;
  }
}
