import type { z } from "zod";
import { ArcadeError } from "../../../domain/errors.ts";
import type { Clock } from "../../ports/system.ts";
import type { Bus, BusReply } from "./bus.ts";
import { type Call, parseMessage, replySchema } from "./plane-messages.ts";
import type { Subjects } from "./subjects.ts";

export const CALL_TIMES = {
  /** How long a node may take to respond; every call may be made twice. */
  timeoutMs: 1500,
  /** How long a session may take to move to another node. */
  movedMs: 5000,
  /** Time between two attempts during a move. */
  retryMs: 100,
  /** How long records and lists wait for a session's state. */
  peekMs: 1000,
} as const;

const RETRY_AFTER_SECONDS = 1;

interface OwnerCallOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly clock: Pick<Clock, "monotonicMs" | "after">;
  /** Whether the session is stored and has not ended. */
  readonly isOpen: (sessionId: string) => Promise<boolean>;
}

/** The value of a response; null if it does not have the expected form. Throws the other node's error. */
export function readReply<Schema extends z.ZodType>(schema: Schema, data: Uint8Array): z.output<Schema> | null {
  const reply = parseMessage(replySchema, data);
  if (reply === null) return null;
  if (!reply.ok) throw new ArcadeError(reply.error.code, reply.error.message, reply.error.fields);
  const value = schema.safeParse(reply.value);
  return value.success ? value.data : null;
}

const createUnavailableError = (sessionId: string): ArcadeError =>
  new ArcadeError("SHUTTING_DOWN", `Session ${sessionId} is moving to another server; try again in a second.`, {
    sessionId,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** Requests to the node that runs a session. */
export class OwnerCalls {
  readonly #options: OwnerCallOptions;

  constructor(options: OwnerCallOptions) {
    this.#options = options;
  }

  /**
   * Calls the session's owner, and retries while the session moves; null if it has ended. Throws `SHUTTING_DOWN` if no
   * node responds within 5 s, and the owner's errors.
   */
  async call<Schema extends z.ZodType>(
    sessionId: string,
    call: Call,
    schema: Schema,
  ): Promise<z.output<Schema> | null> {
    const { clock, isOpen } = this.#options;
    const deadlineMs = clock.monotonicMs() + CALL_TIMES.movedMs;
    for (;;) {
      const reply = await this.#request(sessionId, call, CALL_TIMES.timeoutMs);
      const value = reply.kind === "reply" ? readReply(schema, reply.data) : null;
      // A node that responds with nothing has just lost the session.
      if (value !== null && value !== false) return value;
      if (reply.kind === "disconnected") throw createUnavailableError(sessionId);
      if (!(await isOpen(sessionId))) return null;
      if (clock.monotonicMs() >= deadlineMs) throw createUnavailableError(sessionId);
      await new Promise<void>((resolve) => clock.after(CALL_TIMES.retryMs, resolve));
    }
  }

  /** Calls once; null if no node responds. */
  async peek<Schema extends z.ZodType>(
    sessionId: string,
    call: Call,
    schema: Schema,
  ): Promise<z.output<Schema> | null> {
    const reply = await this.#request(sessionId, call, CALL_TIMES.peekMs);
    return reply.kind === "reply" ? readReply(schema, reply.data) : null;
  }

  /** Sends a call without waiting for a response. */
  send(sessionId: string, call: Call): void {
    const { bus, subjects } = this.#options;
    bus.publish(subjects.call(sessionId), JSON.stringify(call));
  }

  #request(sessionId: string, call: Call, timeoutMs: number): Promise<BusReply> {
    const { bus, subjects } = this.#options;
    return bus.ask(subjects.call(sessionId), JSON.stringify(call), timeoutMs);
  }
}
