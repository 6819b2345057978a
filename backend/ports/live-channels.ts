/** What sockets need of a running session, which may run in another process. */
import type { Hex } from "viem";
import type { PlayerInput } from "../../domain/protocol/input-buffer.ts";
import type { Command, EndMessage, HelloMessage } from "../../domain/protocol/messages.ts";
import type { ChannelRole, CloseReason } from "../../domain/protocol/rules.ts";
import type { SessionTick } from "../../domain/protocol/session-tick.ts";
import type { LiveSessions } from "./live.ts";

/** Receives the messages of a session. Called in the tick: it must not throw and must not block. */
export interface SessionListener {
  /** Called once a tick with its events and the whole state. */
  onTick(tick: SessionTick): void;
  /** Called when the session has ended and is stored. */
  onEnd(end: EndMessage): void;
  /** Called when another backend takes over the session. */
  onMoved?(): void;
}

/** A socket whose token was accepted. */
export interface ChannelSocket {
  readonly role: ChannelRole;
  /** The hash of the token that opened the socket. A token is used once, so no two sockets have the same. */
  readonly tokenHash: string;
  readonly ip: string | null;
  /** The player's part of the seed; the first socket's part is used. */
  readonly entropy?: Hex | undefined;
  /** Called when the session wants the socket closed: another socket has control, or its token was revoked. */
  close(reason: CloseReason): void;
}

/** A socket's part in a session. After `leave`, or when a newer socket has control, the other calls have no effect. */
export interface SessionMember {
  readonly hello: HelloMessage;
  /** False when the game does not know the message. */
  acceptInput(message: PlayerInput, seq: number | undefined): boolean;
  /** `onDenied` is called when the pause budget is spent. */
  runCommand(command: Command, seq: number | undefined, onDenied: () => void): void;
  leave(): void;
}

/**
 * Exactly one of these is called once: at once if the session runs in this process, else when the other node answers.
 */
export interface JoinResult {
  /** Called before the first tick in which the member takes part. */
  onJoined(member: SessionMember): void;
  onRejected(reason: CloseReason): void;
}

export interface LiveChannels {
  /** Subscribes to a session's messages; the returned function unsubscribes. A session that does not run sends none. */
  subscribe(sessionId: string, listener: SessionListener): () => void;
  /**
   * Takes the spectator's seat, or gives the player control. A listener that sends to the socket itself subscribes
   * before joining, so that it misses no tick. One that forwards to another node subscribes in `onJoined`: the player's
   * previous socket leaves then, which may end the subscription.
   */
  join(sessionId: string, socket: ChannelSocket, result: JoinResult): void;
}

/** Everything that requests and sockets need of running sessions. */
export type LivePlane = LiveSessions & LiveChannels;

/** What became of a session in this process; `dropped`: it runs in another process, or not at all. */
export type HostedState = "hosted" | "ended" | "dropped";

export interface LocalPlane extends LivePlane {
  isHosted(sessionId: string): boolean;
  /** Calls back when a session starts to run in this process and when it stops, before its `onEnd`. */
  onHosted(callback: (sessionId: string, state: HostedState) => void): void;
}
