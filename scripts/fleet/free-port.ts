/**
 * Free ports for programs that cannot listen on port 0, because their port must be known before they start, or must
 * stay the same after a restart.
 */
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems assign automatically (32,768 on Linux, 49,152 elsewhere). */
const FIRST_PORT = 20_000;
const PORT_COUNT = 10_000;
const ATTEMPTS_MAX = 5;

/** Another program has taken the port since it was chosen. */
export class PortTakenError extends Error {}

/** A free port outside the range that the system assigns automatically. */
export async function findFreePort(host = "127.0.0.1"): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) =>
        error.code === "EADDRINUSE" ? resolve(false) : reject(error),
      );
      server.listen(port, host, () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/** Starts a program on a free port, and on another one if `start` throws `PortTakenError`. */
export async function startOnFreePort<T>(
  start: (port: number) => Promise<T>,
  choosePort: () => Promise<number> = findFreePort,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await start(await choosePort());
    } catch (error) {
      if (!(error instanceof PortTakenError) || tried === ATTEMPTS_MAX) throw error;
    }
  }
}
