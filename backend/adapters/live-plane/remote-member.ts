import { isGameInput, type PlayerInput } from "../../../domain/protocol/input-buffer.ts";
import type { Command, HelloMessage } from "../../../domain/protocol/messages.ts";
import type { Game } from "../../../games/game.ts";
import type { ChannelSocket, SessionMember } from "../../ports/live-channels.ts";
import type { Input, Joined } from "./plane-messages.ts";

interface RemoteMemberOptions {
  readonly socket: ChannelSocket;
  readonly joined: Joined;
  /** Undefined if this build lacks the rules: then the session's owner decides. */
  readonly game: Pick<Game, "inputs"> | undefined;
  readonly send: (input: Input) => void;
  readonly onLeave: (member: RemoteMember) => void;
}

/** A socket of this node in a session of another one. */
export class RemoteMember implements SessionMember {
  readonly socket: ChannelSocket;
  readonly hello: HelloMessage;
  readonly #options: RemoteMemberOptions;
  #place: Pick<Joined, "host" | "epoch">;
  #onDenied: () => void = () => undefined;

  constructor(options: RemoteMemberOptions) {
    this.#options = options;
    this.socket = options.socket;
    this.hello = options.joined.hello;
    this.#place = options.joined;
  }

  /** The run of the session that the member has joined, and its socket's epoch there. */
  get place(): Pick<Joined, "host" | "epoch"> {
    return this.#place;
  }

  /** A viewer has joined again. */
  move(joined: Joined): void {
    this.#place = joined;
  }

  acceptInput(message: PlayerInput, seq: number | undefined): boolean {
    const { game } = this.#options;
    if (game !== undefined && !isGameInput(game, message)) return false;
    this.#send({ ...message, seq });
    return true;
  }

  runCommand(command: Command, seq: number | undefined, onDenied: () => void): void {
    this.#onDenied = onDenied;
    this.#send({ t: "cmd", cmd: command, seq });
  }

  onDenied(): void {
    this.#onDenied();
  }

  leave(): void {
    this.#options.onLeave(this);
  }

  #send(message: Input["message"]): void {
    const { host, epoch } = this.#place;
    this.#options.send({ host, epoch, message });
  }
}
