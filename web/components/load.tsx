import type { ComponentChildren } from "preact";
import { ErrorState, LoadingState } from "./states.tsx";
import type { Loaded } from "./use-loaded.ts";

interface LoadProps<T> {
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** What `useLoaded` has read, or that it is still reading, or why it could not. */
export function Load<T>({ loaded, children }: LoadProps<T>) {
  const { value, error, reload } = loaded;
  return (
    <>
      {error !== null && <ErrorState text={error} onRetry={reload} />}
      {value !== null ? children(value) : error === null && <LoadingState />}
    </>
  );
}
