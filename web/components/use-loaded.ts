/** Reads something for a page: once, or again and again while the page is visible. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ArcadeApiError } from "../../client/errors.ts";
import { sleep } from "../../client/retry.ts";
import { getErrorMessage } from "../labels/shared.ts";
import { recall, remember, takeFresh, want } from "./loaded-values.ts";

export interface Loaded<T> {
  /** Null before the first answer; kept while a later one fails. */
  readonly value: T | null;
  /** Why the latest attempt failed; null if it succeeded. */
  readonly error: string | null;
  /** The service answered 404. */
  readonly isMissing: boolean;
  reload(): void;
}

/**
 * Calls `load` again whenever one of `inputs` changes, and every `pollMs` milliseconds if given. Aborts its signal when
 * the answer is no longer wanted. `name`: for a JSON value that depends only on `inputs` and that the server may read
 * for the first view; otherwise null.
 */
export function useLoaded<T>(
  name: string | null,
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  pollMs?: number,
): Loaded<T> {
  const key = name === null ? null : `${name} ${JSON.stringify(inputs)}`;
  const [state, setState] = useState<Omit<Loaded<T>, "reload">>(() => ({
    ...EMPTY,
    value: key === null ? null : recall<T>(key),
  }));
  if (key !== null) want(key, load);
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const read = async (): Promise<void> => {
      try {
        const value = await latest.current(signal);
        if (signal.aborted) return;
        if (key !== null) remember(key, value);
        setState({ ...EMPTY, value });
      } catch (error) {
        if (!signal.aborted)
          setState(({ value }) => ({ value, error: getErrorMessage(error), isMissing: isMissing(error) }));
      }
    };
    const run = async (): Promise<void> => {
      if (key === null || !takeFresh(key) || pollMs !== undefined) await read();
      while (pollMs !== undefined && !signal.aborted) {
        await sleep(pollMs, signal);
        if (!document.hidden) await read();
      }
    };
    // The sleep throws when the page is left.
    run().catch(() => undefined);
    return () => controller.abort();
  }, [...inputs, round]);
  return { ...state, reload: () => setRound((count) => count + 1) };
}

const EMPTY = { value: null, error: null, isMissing: false };

const isMissing = (error: unknown): boolean => error instanceof ArcadeApiError && error.status === 404;
