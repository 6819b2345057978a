import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  close(): void;
}

/** An HTTP server on a free port of this machine. A connection whose answer fails is cut. */
export async function startServer(
  answer: (body: string, response: ServerResponse, request: IncomingMessage) => unknown,
): Promise<HttpServer> {
  const server = createServer((request, response) => {
    text(request)
      .then((body) => answer(body, response, request))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
