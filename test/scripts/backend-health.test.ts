import { once } from "node:events";
import { createServer, get, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect } from "chai";
import { BackendHealth } from "../../scripts/fleet/backend-health.ts";
import { type Balancer, startBalancer } from "../../scripts/fleet/balancer.ts";
import { waitUntil } from "../helpers/wait-until.ts";

/** Longer than an answer may take. */
const HOLD_UP_MS = 1_300;

/** A backend that returns its name, and can be suspended as by SIGSTOP: it accepts connections without answering. */
class Backend {
  status = 200;
  isHeldUp = false;
  requests = 0;
  /** How long the next request blocks this whole process. */
  holdUpMs = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((_, response) => {
      this.requests += 1;
      if (this.holdUpMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, this.holdUpMs);
      this.holdUpMs = 0;
      if (!this.isHeldUp) response.writeHead(this.status, { connection: "close" }).end(String(this.port));
    });
  }

  static async start(): Promise<Backend> {
    const backend = new Backend();
    backend.#server.listen(0, "127.0.0.1");
    await once(backend.#server, "listening");
    return backend;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

describe("the balancer of a fleet", () => {
  let backends: readonly [Backend, Backend];
  let health: BackendHealth;
  let balancer: Balancer;
  beforeEach(async () => {
    backends = [await Backend.start(), await Backend.start()];
    health = new BackendHealth({
      listPorts: () => backends.map(({ port }) => port),
      onSilent: (port) => balancer.endConnections(port),
    });
    balancer = await startBalancer({ port: 0, whenBusy: "next", listPorts: () => health.listPorts() });
  });
  afterEach(async () => {
    health.stop();
    await balancer.close();
    for (const backend of backends) backend.close();
  });

  async function ask(): Promise<number> {
    const request = get({ host: "127.0.0.1", port: balancer.port, agent: false });
    const [response] = await once(request, "response");
    const [text] = await once(response.setEncoding("utf8"), "data");
    return Number(text);
  }

  const open = (): Socket => connect(balancer.port, "127.0.0.1").on("error", () => undefined);

  it("excludes a backend that accepts connections without an answer, and ends its existing ones", async () => {
    const [first, second] = backends;
    expect([await ask(), await ask()]).to.have.members([first.port, second.port]);
    first.isHeldUp = true;
    const sockets = [open(), open()];
    await Promise.race(sockets.map((socket) => once(socket, "close")));
    expect(sockets.filter(({ closed }) => !closed)).to.have.lengthOf(1);
    expect([await ask(), await ask()]).to.deep.equal([second.port, second.port]);
    first.isHeldUp = false;
    await waitUntil(() => health.listPorts().length === 2);
    expect([await ask(), await ask()]).to.have.members([first.port, second.port]);
    for (const socket of sockets) socket.destroy();
  });

  it("ends nothing when the balancer itself was suspended", async () => {
    const sockets = [open(), open()];
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    const [first] = backends;
    const before = first.requests;
    first.holdUpMs = HOLD_UP_MS;
    await waitUntil(() => first.requests >= before + 3);
    expect(sockets.filter(({ closed }) => closed)).to.deep.equal([]);
    expect(health.listPorts()).to.have.lengthOf(2);
    for (const socket of sockets) socket.destroy();
  });

  it("gives a backend that is not ready no new connections, but keeps its existing ones", async () => {
    const [first, second] = backends;
    const sockets = [open(), open()];
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    first.status = 503;
    await waitUntil(() => health.listPorts().length === 1);
    expect([await ask(), await ask()]).to.deep.equal([second.port, second.port]);
    expect(sockets.filter(({ closed }) => closed)).to.deep.equal([]);
    for (const socket of sockets) socket.destroy();
  });

  it("uses those that answer if none is ready", async () => {
    const [first, second] = backends;
    first.isHeldUp = true;
    second.status = 503;
    await waitUntil(() => health.listPorts().join() === String(second.port));
    expect([await ask(), await ask()]).to.deep.equal([second.port, second.port]);
    // Without an answer from any, connections reach all of them, and are ended again.
    second.isHeldUp = true;
    await waitUntil(() => health.listPorts().length === 2);
    await Promise.all([open(), open()].map((socket) => once(socket, "close")));
  });

  it("uses all of them if none is ready", async () => {
    for (const backend of backends) backend.status = 503;
    // The second check follows the first one's answer.
    await waitUntil(() => backends.every(({ requests }) => requests >= 2));
    expect([await ask(), await ask()]).to.have.members(backends.map(({ port }) => port));
  });
});
