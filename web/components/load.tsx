import type { ComponentChildren } from "preact";
import { ErrorState, LoadingState } from "./states.tsx";
import type { Loaded } from "./use-loaded.ts";

interface LoadProps<T> {
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows what `useLoaded` has read, that it is loading, or its error. */
export function Load<T>({ loaded, children }: LoadProps<T>) {
  const { value, error, reload } = loaded;
  return (
    <>
      {error !== null && <ErrorState text={error} onRetry={reload} />}
      {value !== null ? children(value) : error === null && <LoadingState />}
    </>
  );
}
