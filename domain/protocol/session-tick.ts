import type { EventMessage, FrameMessage } from "./messages.ts";
import { encodeTextFrame, findTextFrames } from "./websocket-frames.ts";

/** The messages of one tick, or of several, as the bytes that go to sockets. */
export interface TickBuffers {
  /** The number of ticks. */
  readonly count: number;
  /** Their events, or null. */
  readonly events: Buffer | null;
  /** Events and frames. */
  readonly whole: Buffer;
  /** The last frame with the number of skipped frames, for a socket that missed `skipped` before these ticks. */
  withSkipped(skipped: number): Buffer;
}

/** One tick of a session: its frame, and its bytes, which all sockets share. */
export interface SessionTick extends TickBuffers {
  /** `phase` is `ended` in the last tick. */
  readonly frame: FrameMessage;
}

/** A tick of a session of this process. It is encoded when the first socket needs it. */
export class PublishedTick implements SessionTick {
  readonly count = 1;
  readonly frame: FrameMessage;
  readonly #messages: readonly EventMessage[];
  #events: Buffer | null = null;
  #whole: Buffer | null = null;

  constructor(messages: readonly EventMessage[], frame: FrameMessage) {
    this.#messages = messages;
    this.frame = frame;
  }

  get events(): Buffer | null {
    if (this.#messages.length === 0) return null;
    this.#events ??= Buffer.concat(this.#messages.map((message) => encodeTextFrame(JSON.stringify(message))));
    return this.#events;
  }

  get whole(): Buffer {
    this.#whole ??= joinBuffers(this.events, encodeTextFrame(JSON.stringify(this.frame)))!;
    return this.#whole;
  }

  withSkipped(skipped: number): Buffer {
    return encodeTextFrame(JSON.stringify({ t: "frame", frame: { ...this.frame.frame, skipped } }));
  }
}

/** Ticks that are sent together; at least one. */
export function joinTicks(ticks: readonly TickBuffers[]): TickBuffers {
  const last = ticks.at(-1)!;
  if (ticks.length === 1) return last;
  const count = ticks.reduce((sum, tick) => sum + tick.count, 0);
  return {
    count,
    events: ticks.map(({ events }) => events).reduce(joinBuffers),
    whole: Buffer.concat(ticks.map(({ whole }) => whole)),
    withSkipped: (skipped) => last.withSkipped(skipped + count - last.count),
  };
}

/** Concatenates two buffers, of which either may be missing. */
export function joinBuffers(first: Buffer | null, second: Buffer | null): Buffer | null {
  if (first === null || second === null) return first ?? second;
  return Buffer.concat([first, second]);
}

const FRAME_TEXT_END = "}}";

/** A tick published by another node: `whole`, byte for byte. The last message is the frame. */
class ReceivedTick implements SessionTick {
  readonly count = 1;
  readonly events: Buffer | null;
  readonly whole: Buffer;
  readonly #payloadStart: number;

  constructor(whole: Buffer, last: { readonly start: number; readonly payloadStart: number }) {
    this.whole = whole;
    this.events = last.start === 0 ? null : whole.subarray(0, last.start);
    this.#payloadStart = last.payloadStart;
  }

  get frame(): FrameMessage {
    return JSON.parse(this.#frameText) as FrameMessage;
  }

  withSkipped(skipped: number): Buffer {
    return encodeTextFrame(`${this.#frameText.slice(0, -FRAME_TEXT_END.length)},"skipped":${skipped}${FRAME_TEXT_END}`);
  }

  get #frameText(): string {
    return this.whole.toString("utf8", this.#payloadStart);
  }
}

/** Reads `PublishedTick.whole`; null if the bytes are not whole text messages that end with a frame. */
export function parseTick(whole: Buffer): SessionTick | null {
  const last = findTextFrames(whole)?.at(-1);
  if (last === undefined) return null;
  const begin = whole.toString("latin1", last.payloadStart, last.payloadStart + FRAME_TEXT_BEGIN.length);
  return begin === FRAME_TEXT_BEGIN && whole.toString("latin1", last.end - 2, last.end) === FRAME_TEXT_END
    ? new ReceivedTick(whole, last)
    : null;
}

const FRAME_TEXT_BEGIN = '{"t":"frame","frame":{';
