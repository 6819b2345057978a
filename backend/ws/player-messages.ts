import { CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import { playerMessage, spectatorMessage } from "../../domain/protocol/messages.ts";
import type { ChannelRole } from "../../domain/protocol/rules.ts";
import type { SessionMember } from "../ports/live-channels.ts";
import { EventWindow, MessageRate } from "../rate-limits/message-rate.ts";
import { parseJson } from "./authenticate.ts";
import type { Connection } from "./connection.ts";

/** Parses, limits and dispatches the messages of an authenticated socket. */
export class MessageHandler {
  readonly #connection: Connection;
  readonly #member: SessionMember;
  readonly #role: ChannelRole;
  readonly #rate: MessageRate;
  readonly #badMessages = new EventWindow(CHANNEL_LIMITS.badMessages, CHANNEL_LIMITS.badMessageWindowSeconds * 1000);

  constructor(connection: Connection, member: SessionMember, role: ChannelRole, nowMs: number) {
    this.#connection = connection;
    this.#member = member;
    this.#role = role;
    this.#rate = new MessageRate(member.hello.tickHz, nowMs);
  }

  onMessage(text: string, nowMs: number): void {
    const verdict = this.#rate.count(nowMs);
    if (verdict === "ok") {
      if (!this.#dispatch(text)) this.#rejectMessage(nowMs);
    } else if (verdict === "warn") {
      this.#connection.sendError("RATE_LIMITED", "Too many messages: they are dropped until the rate falls.");
    } else if (verdict === "close") {
      this.#connection.sendError("RATE_LIMITED", "Too many messages for too long.", true);
      this.#connection.close("RATE_LIMITED");
    }
  }

  /** False when the message does not belong to this channel. */
  #dispatch(text: string): boolean {
    const schema = this.#role === "play" ? playerMessage : spectatorMessage;
    const parsed = schema.safeParse(parseJson(text));
    if (!parsed.success) return false;
    const message = parsed.data;
    if (message.t === "ping") {
      this.#connection.send({ t: "pong" });
      return true;
    }
    if (message.t !== "cmd") return this.#member.acceptInput(message, message.seq);
    this.#member.runCommand(message.cmd, message.seq, () =>
      this.#connection.sendError("PAUSE_LIMIT", "The session's pauses are used up."),
    );
    return true;
  }

  #rejectMessage(nowMs: number): void {
    const fatal = this.#badMessages.record(nowMs);
    const expected = this.#role === "play" ? "one of the game's inputs, cmd or ping" : "ping";
    this.#connection.sendError("BAD_MESSAGE", `Expected ${expected}, as JSON text in the documented form.`, fatal);
    if (fatal) this.#connection.close("BAD_MESSAGE");
  }
}
