import { CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import { playerMessage, spectatorMessage } from "../../domain/protocol/messages.ts";
import type { ChannelRole } from "../../domain/protocol/rules.ts";
import { SESSION_TIMES } from "../../domain/session.ts";
import type { SessionMember } from "../ports/live-channels.ts";
import { EventWindow, MessageRate } from "../rate-limits/message-rate.ts";
import { parseJson } from "./authenticate.ts";
import type { Connection } from "./connection.ts";
import { explainBadMessage } from "./explain-message.ts";

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
      this.#dispatch(text, nowMs);
    } else if (verdict === "warn") {
      this.#connection.sendError("RATE_LIMITED", `${this.#rateRule} They are dropped until the rate falls.`);
    } else if (verdict === "close") {
      const seconds = CHANNEL_LIMITS.rateCloseSeconds;
      this.#connection.close("RATE_LIMITED", `${this.#rateRule} More were received for ${seconds} s.`);
    }
  }

  get #rateRule(): string {
    return `Expected at most ${CHANNEL_LIMITS.messagesPerTick * this.#member.hello.tickHz} messages a second.`;
  }

  #dispatch(text: string, nowMs: number): void {
    const schema = this.#role === "play" ? playerMessage : spectatorMessage;
    const value = parseJson(text);
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      this.#rejectMessage({ text, value, problems: parsed.error.issues }, nowMs);
      return;
    }
    const message = parsed.data;
    if (message.t === "ping") this.#connection.send({ t: "pong" });
    else if (message.t === "cmd") this.#member.runCommand(message.cmd, message.seq, () => this.#rejectPause());
    else if (!this.#member.acceptInput(message, message.seq)) {
      this.#rejectMessage({ text, value, problems: [] }, nowMs);
    }
  }

  #rejectPause(): void {
    const { pauseCount, pauseSeconds } = SESSION_TIMES;
    const rule = `A session pauses at most ${pauseCount} times and ${pauseSeconds} s in all`;
    this.#connection.sendError("PAUSE_LIMIT", `${rule}, and this is used up; received pause. The game continues.`);
  }

  #rejectMessage(received: Parameters<typeof explainBadMessage>[0], nowMs: number): void {
    const explanation = explainBadMessage(received, this.#role, this.#member.hello.slug);
    if (this.#badMessages.record(nowMs)) this.#connection.close("BAD_MESSAGE", explanation);
    else this.#connection.sendError("BAD_MESSAGE", explanation);
  }
}
