/**
 * The process of `/mcp`. The backend starts it with the first request and forwards requests over a Unix socket, so that
 * tools, simulations and policies never run on the games' thread. It ends with the backend.
 */
import { createMcpHandler } from "@modelcontextprotocol/server";
import { type ClientOptions, createClient } from "../client/client.ts";
import { createMcpHttpServer } from "./http-server.ts";
import { Plays } from "./plays.ts";
import { createMcpServer } from "./server.ts";
import { Simulations } from "./simulations.ts";

export interface McpProcessOptions {
  /** Where to listen. */
  readonly socketPath: string;
  /** The service's URL on this machine. */
  readonly baseUrl: string;
  readonly isLocal: boolean;
  readonly hasLeague: boolean;
  /** Proves to the service that a request comes from this process. */
  readonly ownKey: string;
}

const BODY_BYTES_MAX = 256 * 1024;
const plays = new Plays();
const simulations = new Simulations();

const getToken = (request: Request | undefined): string | null =>
  /^Bearer (\S+)$/i.exec(request?.headers.get("authorization") ?? "")?.[1] ?? null;

/**
 * Forwarded to the service: the caller's address, which the service accepts from this process, and the caller's block.
 */
const PASSED_HEADERS = ["x-forwarded-for", "arcade-min-block"];

/** The ports of a client whose requests and sockets count as those of the tool's caller. */
function createPorts(
  request: Request | undefined,
  ownKey: string,
): Required<Pick<ClientOptions, "fetch" | "WebSocket">> {
  const passed = PASSED_HEADERS.flatMap((name) => {
    const value = request?.headers.get(name);
    return value ? [[name, value] as const] : [];
  });
  const own = [...passed, ["x-arcade-own-key", ownKey]] as const;
  return {
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      // Responses stay uncompressed: they never leave the machine.
      headers.set("accept-encoding", "identity");
      for (const [name, value] of own) headers.set(name, value);
      return fetch(url, { ...init, headers });
    },
    WebSocket: class extends WebSocket {
      constructor(url: string | URL) {
        // Node also takes an object here (undici's `WebSocketInit`).
        super(url, { headers: Object.fromEntries(own) } as unknown as string[]);
      }
    },
  };
}

function serve({ socketPath, baseUrl, isLocal, hasLeague, ownKey }: McpProcessOptions): void {
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const client = createClient({ baseUrl, ...createPorts(requestInfo, ownKey), retry: { retries: 2 } });
      const address = requestInfo?.headers.get("x-forwarded-for") ?? null;
      const context = { client, token: getToken(requestInfo), address, isLocal, hasLeague, plays, simulations };
      return createMcpServer(context, (error) => console.error("a tool failed", error));
    },
    { maxRequestBodySize: BODY_BYTES_MAX },
  );
  createMcpHttpServer(handler, BODY_BYTES_MAX).listen(socketPath, () => process.send?.("listening"));
}

process.once("message", (options) => serve(options as McpProcessOptions));
process.once("disconnect", () => process.exit());
