/** The shipped configuration of HAProxy, in front of backends that answer their checks in different ways. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { type HttpServer, startServer } from "../helpers/http-server.ts";
import { describeBetween, type RunningProgram, startShippedBalancer } from "../helpers/in-between.ts";
import { waitUntil } from "../helpers/wait-until.ts";

describeBetween("HAProxy with the configuration of deploy/fleet", () => {
  let servers: HttpServer[] = [];
  let balancer: RunningProgram;
  afterEach(async () => {
    await balancer.stop();
    for (const server of servers) server.close();
    servers = [];
  });

  /** A backend that returns its name. `check` answers the balancer's checks. */
  async function startBackend(name: string, check: (response: ServerResponse) => void): Promise<void> {
    const answer = (_: string, response: ServerResponse, { url }: IncomingMessage): void => {
      if (url === "/readyz") check(response);
      else response.end(name);
    };
    servers.push(await startServer(answer));
  }
  const fetchName = async (): Promise<string> => (await fetch(`http://127.0.0.1:${balancer.port}/api/games`)).text();

  it("sends requests to backends that are all too busy to answer a check in time", async () => {
    let missed = 0;
    await startBackend("busy", (response) => response.once("close", () => missed++));
    balancer = await startShippedBalancer(servers.map(({ port }) => port));
    await waitUntil(() => missed > 0);
    expect(await fetchName()).to.equal("busy");
  });

  it("sends no requests to a backend that stops while another one is ready", async () => {
    let refused = 0;
    await startBackend("ready", (response) => response.end());
    await startBackend("stopping", (response) => {
      response.writeHead(503).end();
      refused += 1;
    });
    balancer = await startShippedBalancer(servers.map(({ port }) => port));
    // The second check follows the result of the first.
    await waitUntil(() => refused > 1);
    const names = await Promise.all(Array.from({ length: 8 }, fetchName));
    expect([...new Set(names)]).to.deep.equal(["ready"]);
  });
});
