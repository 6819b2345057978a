/**
 * Finds sockets that are open but silent, because the service hangs or the network drops everything. Browsers hide the
 * protocol's pings, so messages count: the service sends a frame each tick, and in lockstep, which has no frames,
 * answers `ping` with `pong`.
 */
import { TIMER_MAX_MS } from "./retry.ts";

/** Calls `call` every `ms` until the returned function is called. */
export type Every = (ms: number, call: () => void) => () => void;

/** The `reason` of a socket that was closed for silence; its close code is 1006. */
export const SILENT = "SILENT";

const SILENCE_TIMEOUT_MS = 15_000;
/** The first check may come right after a message, the second one sends `ping`, the third one gives up. */
const CHECKS = 3;

const every: Every = (ms, call) => {
  const timer = setInterval(call, ms);
  return () => clearInterval(timer);
};

export interface SilenceOptions {
  /** A silent socket is replaced after this long at most, and after two thirds of it at least. Infinity: never. */
  readonly silenceTimeoutMs?: number | undefined;
  readonly every?: Every | undefined;
}

/** Throws `RangeError` unless the timeout is above zero. */
export function checkSilenceTimeout({ silenceTimeoutMs = SILENCE_TIMEOUT_MS }: SilenceOptions): void {
  if (!(silenceTimeoutMs > 0))
    throw new RangeError(`Expected silenceTimeoutMs above 0, received ${silenceTimeoutMs}; Infinity turns it off.`);
}

/**
 * Watches one socket. It counts checks, not time: if the program was busy, waiting messages are read before the next
 * check.
 */
export function watchSilence(
  options: SilenceOptions & {
    /** Sends a `ping`. */
    ask(): void;
    onSilent(): void;
  },
): { onMessage(): void; stop(): void } {
  const { silenceTimeoutMs = SILENCE_TIMEOUT_MS } = options;
  const checkMs = Math.min(silenceTimeoutMs / CHECKS, TIMER_MAX_MS);
  let silentChecks = 0;
  const check = (): void => {
    silentChecks += 1;
    if (silentChecks >= CHECKS) options.onSilent();
    else if (silentChecks === CHECKS - 1) options.ask();
  };
  const stop =
    silenceTimeoutMs === Number.POSITIVE_INFINITY ? () => undefined : (options.every ?? every)(checkMs, check);
  return {
    onMessage() {
      silentChecks = 0;
    },
    stop,
  };
}
