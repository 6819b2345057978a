/** A balancer as in front of a fleet: routes each connection by its first request. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Role } from "../../domain/roles.ts";

export interface RoleBalancer {
  readonly url: string;
  /** Set before the first connection: the URL of a server with the role. */
  readonly servers: Partial<Record<Role, string>>;
  /** The targets of the connections, in their order. */
  readonly passed: readonly Role[];
  close(): Promise<void>;
}

/** By the first line of a request. */
function chooseRole(line: string): Role {
  if (/^GET \/ws\/[^/]+\/play\b/.test(line)) return "live";
  return /^GET \/ws\/[^/]+\/spectate\b/.test(line) ? "edge" : "api";
}

export async function startRoleBalancer(): Promise<RoleBalancer> {
  const servers: Partial<Record<Role, string>> = {};
  const passed: Role[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on("close", () => sockets.delete(client)).on("error", () => client.destroy());
    client.once("data", (data) => {
      const role = chooseRole(String(data));
      passed.push(role);
      const upstream = connect(Number(new URL(servers[role]!).port), "127.0.0.1");
      upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
      client.on("close", () => upstream.destroy());
      upstream.write(data);
      client.pipe(upstream).pipe(client);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    servers,
    passed,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
