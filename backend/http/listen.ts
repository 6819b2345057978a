import type { Server } from "node:http";
import { answerBrokenRequests } from "./broken.ts";

const PORT_TRIES = 20;

const listenOnce = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });

/** Listens on the port, or on one of the next ones where the caller did not insist. Answers the port taken. */
export async function listen(
  server: Server,
  options: { readonly port: number; readonly host: string; readonly insist: boolean },
): Promise<number> {
  answerBrokenRequests(server);
  const last = options.insist || options.port === 0 ? options.port : options.port + PORT_TRIES;
  for (let port = options.port; ; port += 1) {
    try {
      return await listenOnce(server, port, options.host);
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== "EADDRINUSE") throw fault;
      if (port >= last)
        throw new Error(`Port ${options.port} on ${options.host} is busy; set ARCADE_PORT to a free one.`, {
          cause: fault,
        });
    }
  }
}
