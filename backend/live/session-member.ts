import type { PlayerInput } from "../../domain/protocol/input-buffer.ts";
import type { Command, HelloMessage } from "../../domain/protocol/messages.ts";
import type { ChannelSocket, SessionMember } from "../ports/live-channels.ts";
import type { Clock } from "../ports/system.ts";
import type { LiveSession } from "./session.ts";

/** A socket's part in a session of this process. A spectator's seat must be taken already. */
export class LiveSessionMember implements SessionMember {
  readonly hello: HelloMessage;
  readonly #session: LiveSession;
  readonly #socket: ChannelSocket;
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** 0 for a spectator, which has no control. */
  readonly #epoch: number;
  readonly #removeSocket: () => void;

  constructor(session: LiveSession, socket: ChannelSocket, clock: Pick<Clock, "monotonicMs">) {
    const { role, entropy } = socket;
    const nowMs = clock.monotonicMs();
    this.#session = session;
    this.#socket = socket;
    this.#clock = clock;
    const player = role === "play" ? session.connectPlayer(nowMs, entropy) : { epoch: 0, resumed: false };
    this.#epoch = player.epoch;
    this.#removeSocket = session.sockets.add(socket);
    this.hello = session.toHelloMessage(role, player.resumed, nowMs);
  }

  acceptInput(message: PlayerInput, seq: number | undefined): boolean {
    return this.#session.acceptInput(this.#epoch, message, seq);
  }

  runCommand(command: Command, seq: number | undefined, onDenied: () => void): void {
    const nowMs = this.#clock.monotonicMs();
    if (this.#session.runCommand(this.#epoch, command, seq, nowMs) === "denied") onDenied();
  }

  leave(): void {
    const { role, tokenHash } = this.#socket;
    this.#removeSocket();
    if (role === "play") this.#session.disconnectPlayer(this.#epoch, this.#clock.monotonicMs());
    else this.#session.seats.leave(tokenHash);
  }
}
