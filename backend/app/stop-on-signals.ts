/** How long the port stays open after SIGTERM: a load balancer must see 503 before connections are rejected. */
const LINGER_MS = 1000;

type Signal = "SIGINT" | "SIGTERM" | "SIGHUP";

export interface StopHandlers {
  /** The signals that stop the server; SIGHUP comes from a terminal that closes. */
  readonly signals: readonly Signal[];
  /** Called once, before `close`. */
  onStop(signal: string): void;
  close(options: { readonly lingerMs: number }): Promise<void>;
  onError(error: unknown): void;
}

/** Ctrl-C reaches the process from the terminal, and once more from npm. */
const REPEATED_MS = 500;

let isStopping = false;

/** True after a signal: the process is closing, and another signal would end it at once. */
export const isStoppedBySignal = (): boolean => isStopping;

/** Closes and ends the process on a signal: exit code 0, or 1 if `close` fails. A later signal kills it. */
export function stopOnSignals({ signals, onStop, close, onError }: StopHandlers): void {
  const stop = (signal: string): void => {
    isStopping = true;
    const ignore = (): void => undefined;
    for (const one of signals) process.removeAllListeners(one).on(one, ignore);
    setTimeout(() => {
      for (const one of signals) process.off(one, ignore);
    }, REPEATED_MS).unref();
    onStop(signal);
    close({ lingerMs: signal === "SIGTERM" ? LINGER_MS : 0 }).then(
      () => process.exit(0),
      (error: unknown) => {
        onError(error);
        process.exit(1);
      },
    );
  };
  for (const signal of signals) process.on(signal, stop);
}
