/** Free ports for programs that cannot listen on port 0: theirs must be known before they start, or they restart on the same one. */
import { once } from "node:events";
import { createServer } from "node:net";

/** Below those that systems give to programs by themselves (32,768 on Linux, 49,152 elsewhere), also for connections. */
const FIRST_PORT = 20_000;
const PORT_COUNT = 10_000;
const ATTEMPTS_MAX = 5;

/** Another program has taken the port since it was chosen. */
export class PortTakenError extends Error {}

/** A free port, outside of the range from which the system assigns ports. */
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

/** Starts a program on a free port, and on another one where `start` throws `PortTakenError`. */
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
