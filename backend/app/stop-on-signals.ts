/** How long the port stays open after SIGTERM: a load balancer must see 503 before connections are rejected. */
const LINGER_MS = 1000;

export interface StopHandlers {
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

/** Closes and ends the process on SIGINT or SIGTERM: exit code 0, or 1 if `close` fails. A later signal kills it. */
export function stopOnSignals({ onStop, close, onError }: StopHandlers): void {
  const stop = (signal: string): void => {
    isStopping = true;
    process.removeAllListeners("SIGINT");
    process.removeAllListeners("SIGTERM");
    const ignore = (): void => undefined;
    process.on("SIGINT", ignore).on("SIGTERM", ignore);
    setTimeout(() => process.off("SIGINT", ignore).off("SIGTERM", ignore), REPEATED_MS).unref();
    onStop(signal);
    close({ lingerMs: signal === "SIGTERM" ? LINGER_MS : 0 }).then(
      () => process.exit(0),
      (error: unknown) => {
        onError(error);
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
}
