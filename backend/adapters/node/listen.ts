import type { Server } from "node:net";

/** How many further ports are tried after a busy one, if the caller allows it. */
const PORT_ATTEMPTS_MAX = 20;

/**
 * Connections that wait to be accepted; the system may allow fewer (Linux: `net.core.somaxconn`, 4096). With Node's 511 a
 * flood of connections keeps a balancer's own ones out: its connections time out.
 */
const BACKLOG = 4096;

/** Advice for an error of `listen` that another port would not solve; null for other errors. */
function findAdvice(error: unknown, host: string, port: number, portVariable: string): string | null {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "EACCES") return `Port ${port} is for privileged users only. Set ${portVariable} to one from 1024 on.`;
  if (!["EADDRNOTAVAIL", "EAFNOSUPPORT", "ENOTFOUND", "EAI_AGAIN"].includes(code)) return null;
  return `This machine has no address ${host}. Set ARCADE_HOST to one that it has, or to 0.0.0.0 for all of them.`;
}

const isPortBusy = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "EADDRINUSE";

function listenOnce(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.removeListener("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

/**
 * Makes the server listen, and returns the port it got: 0 takes any free one.
 * @param options.whenBusy `next` tries up to 20 ports after a busy one.
 * @param options.portVariable The environment variable that sets the port, for the error's message.
 * @throws Error with what to do if every port that was tried is busy, or the machine does not have the address.
 */
export async function listen(
  server: Server,
  options: {
    readonly port: number;
    readonly host: string;
    readonly whenBusy: "fail" | "next";
    readonly portVariable: string;
  },
): Promise<number> {
  const { port: firstPort, host, whenBusy, portVariable } = options;
  const lastPort = whenBusy === "next" && firstPort !== 0 ? firstPort + PORT_ATTEMPTS_MAX : firstPort;
  for (let port = firstPort; ; port++) {
    try {
      return await listenOnce(server, port, host);
    } catch (error) {
      const advice = findAdvice(error, host, port, portVariable);
      if (advice !== null) throw new Error(advice, { cause: error });
      if (!isPortBusy(error)) throw error;
      if (port < lastPort) continue;
      const tried = lastPort === firstPort ? `Port ${port} is` : `Ports ${firstPort} to ${lastPort} are`;
      throw new Error(`${tried} busy on ${host}. Set ${portVariable} to a free one.`, { cause: error });
    }
  }
}
