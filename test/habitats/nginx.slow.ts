/** The shipped configuration of nginx in front of a backend that shows what arrives. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect } from "chai";
import { WebSocket, WebSocketServer } from "ws";
import { getClientAddress } from "../../backend/requests/client-address.ts";
import { describeBehindNginx, type RunningProgram, startShippedNginx } from "../helpers/in-between.ts";

describeBehindNginx("nginx with the configuration of deploy/fleet", () => {
  let backend: Server;
  let nginx: RunningProgram;
  const connections = new Set<Socket>();

  before(async () => {
    backend = createServer((request, response) => {
      connections.add(request.socket);
      response.end(JSON.stringify({ host: request.headers.host, client: getClientAddress(request, 1) }));
    });
    const sockets = new WebSocketServer({ server: backend });
    sockets.on("connection", (socket) => socket.on("message", (data) => socket.send(`received ${data}`)));
    await once(backend.listen(0, "127.0.0.1"), "listening");
    nginx = await startShippedNginx((backend.address() as AddressInfo).port);
  });
  after(async () => {
    await nginx.stop();
    backend.closeAllConnections();
    backend.close();
  });

  it("passes WebSockets on", async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${nginx.port}/ws/flappybots/play?sessionId=1`);
    await once(socket, "open");
    socket.send("a message");
    const [data] = await once(socket, "message");
    expect(String(data)).to.equal("received a message");
    socket.terminate();
  });

  it("keeps the host, and passes on no address that a client has made up", async () => {
    const response = await fetch(`http://127.0.0.1:${nginx.port}/`, { headers: { "x-forwarded-for": "192.0.2.1" } });
    expect(await response.json()).to.deep.equal({ host: `127.0.0.1:${nginx.port}`, client: "127.0.0.1" });
  });

  it("sends several requests over one connection to the backend", async () => {
    connections.clear();
    for (let n = 0; n < 5; n++) await (await fetch(`http://127.0.0.1:${nginx.port}/`)).text();
    expect(connections.size).to.equal(1);
  });
});
