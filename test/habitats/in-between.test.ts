/** Proxies and balancers between clients and the service. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text as readText } from "node:stream/consumers";
import { expect } from "chai";
import { ConfigError, readConfig } from "../../backend/config/config.ts";
import { getClientAddress } from "../../backend/requests/client-address.ts";
import { StillClock } from "../helpers/still-clock.ts";
import { useTestStack } from "../helpers/suite.ts";
import { waitUntil } from "../helpers/wait-until.ts";

interface Chain {
  readonly title: string;
  readonly setting: string;
  readonly peer?: string;
  readonly forwardedFor: string;
  readonly client: string;
}

const PROXY = "10.0.0.9";
const CLIENT = "192.0.2.1";

/** Typical chains of proxies, and the client address that each must give. */
const CHAINS: readonly Chain[] = [
  { title: "no proxy", setting: "false", forwardedFor: CLIENT, client: PROXY },
  {
    title: "no proxy and a dual-stack socket",
    setting: "false",
    peer: `::ffff:${PROXY}`,
    forwardedFor: CLIENT,
    client: PROXY,
  },
  { title: "one proxy", setting: "true", forwardedFor: `203.0.113.9, ${CLIENT}`, client: CLIENT },
  { title: "a balancer behind a CDN", setting: "2", forwardedFor: `6.6.6.6, ${CLIENT}, 198.51.100.7`, client: CLIENT },
  { title: "three proxies", setting: "3", forwardedFor: `${CLIENT}, 198.51.100.7, 10.1.1.1`, client: CLIENT },
  { title: "a probe of the inner balancer", setting: "2", forwardedFor: "10.9.9.9", client: "10.9.9.9" },
  { title: "a CDN that writes ports", setting: "2", forwardedFor: `${CLIENT}:4711, 198.51.100.7`, client: CLIENT },
  {
    title: "networks",
    setting: "10.0.0.0/8,198.51.100.0/24",
    forwardedFor: `6.6.6.6, ${CLIENT}, 198.51.100.7`,
    client: CLIENT,
  },
  { title: "single addresses", setting: "10.0.0.9, fd00::1", forwardedFor: `${CLIENT}, fd00::1`, client: CLIENT },
  { title: "only proxies", setting: "10.0.0.0/8", forwardedFor: "10.0.0.1, 10.0.0.2", client: "10.0.0.1" },
  { title: "a caller past the proxies", setting: "172.16.0.0/12", forwardedFor: "6.6.6.6", client: PROXY },
  {
    title: "IPv6 networks",
    setting: "fd00::/8",
    peer: "fd12::1",
    forwardedFor: "6.6.6.6, 2001:db8::7",
    client: "2001:db8::7",
  },
  {
    title: "a dual-stack socket",
    setting: "10.0.0.0/8",
    peer: `::ffff:${PROXY}`,
    forwardedFor: CLIENT,
    client: CLIENT,
  },
  {
    title: "text between addresses",
    setting: "10.0.0.0/8",
    forwardedFor: `${CLIENT}, unknown, 10.0.0.1`,
    client: "10.0.0.1",
  },
];

describe("the client behind proxies", () => {
  for (const { title, setting, peer = PROXY, forwardedFor, client } of CHAINS)
    it(`is found: ${title}`, () => {
      const { trustProxy } = readConfig({ ARCADE_TRUST_PROXY: setting });
      const request = { headers: { "x-forwarded-for": forwardedFor }, socket: { remoteAddress: peer } };
      expect(getClientAddress(request as unknown as IncomingMessage, trustProxy)).to.equal(client);
    });

  for (const setting of ["yes", "-1", "10", "10.0.0.0/33", "fd00::/129", "10.0.0.0/8,,", "proxy.example", "10.0.0/8"])
    it(`is not described by ARCADE_TRUST_PROXY=${setting}`, () => {
      expect(() => readConfig({ ARCADE_TRUST_PROXY: setting })).to.throw(ConfigError, "ARCADE_TRUST_PROXY");
    });
});

describe("a proxy that is not trusted", () => {
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (_: object, message: string) => void warnings.push(message) };
  const clock = new StillClock();
  const stack = useTestStack({ env: { ARCADE_RATE_LIMITS: "on" }, clock, log });

  it("is reported once, and its clients do not use up the limit of the balancer's checks", async () => {
    const read = (path: string) => stack.request("GET", path, { headers: { "X-Forwarded-For": CLIENT } });
    for (let reads = 1; (await read("/api/leaderboard")).status === 200; reads += 1)
      if (reads % 60 === 0) clock.advance(1_000);
    for (const path of ["/healthz", "/readyz"]) expect((await read(path)).status, path).to.equal(200);
    expect(warnings.filter((warning) => warning.includes("ARCADE_TRUST_PROXY"))).to.have.length(1);
  });
});

describe("a trusted proxy that does not tell its clients' addresses", () => {
  const warnings: string[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (_: object, message: string) => void warnings.push(message) };
  const stack = useTestStack({ env: { ARCADE_RATE_LIMITS: "on", ARCADE_TRUST_PROXY: "true" }, log });

  it("is reported once, and its own checks are not", async () => {
    for (const path of ["/healthz", "/readyz?verbose"]) await stack.request("GET", path);
    await stack.request("GET", "/api/leaderboard", { headers: { "X-Forwarded-For": CLIENT } });
    expect(warnings).to.deep.equal([]);
    for (let reads = 0; reads < 2; reads += 1) await stack.request("GET", "/api/leaderboard");
    expect(warnings.join()).to.match(/^a request came without X-Forwarded-For, but ARCADE_TRUST_PROXY is set: /);
    expect(warnings).to.have.length(1);
  });
});

describe("idle connections", () => {
  const stack = useTestStack({ env: { ARCADE_KEEP_ALIVE_SECONDS: "1" } });

  it("outlive balancers by default, even one that keeps them for two minutes", () => {
    expect(readConfig({}).keepAliveSeconds).to.be.greaterThan(120);
  });

  it("are kept for the configured time, and then closed", async () => {
    const { hostname, port } = new URL(stack.app.httpUrl);
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    const startedMs = performance.now();
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
    await once(socket, "close");
    expect(text).to.match(/^HTTP\/1\.1 200[\s\S]*Keep-Alive: timeout=1\r\n/i);
    expect(performance.now() - startedMs).to.be.within(950, 10_000);
  });
});

/** Starts of connections from balancers, with a request behind them. */
const PROXY_PROTOCOLS = {
  "version 1": "PROXY TCP4 192.0.2.1 10.0.0.9 4711 4100\r\n",
  "version 2": "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x01\x0a\0\0\x09\x12\x67\x10\x04",
};

describe("a balancer that sends the PROXY protocol", () => {
  const stack = useTestStack();

  for (const [version, header] of Object.entries(PROXY_PROTOCOLS))
    it(`is told to turn it off: ${version}`, async () => {
      const { hostname, port } = new URL(stack.app.httpUrl);
      const socket = connect(Number(port), hostname);
      socket.write(`${header}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`, "latin1");
      const text = await readText(socket);
      expect(text).to.match(/^HTTP\/1\.1 400 /);
      expect(text).to.include("received the PROXY protocol; turn it off in the balancer");
    });
});

describe("a TLS handshake on a port of plain HTTP", () => {
  const stack = useTestStack();
  const HANDSHAKE = Buffer.from(`16030102000100${"01fc0303".padEnd(600, "0")}`, "hex");

  for (const name of ["service", "chain"])
    it(`closes the connection to the ${name} at once, without holding it`, async () => {
      const { hostname, port } = new URL(name === "service" ? stack.app.httpUrl : stack.chain.rpcUrl);
      const countSockets = () => process.getActiveResourcesInfo().filter((kind) => kind === "TCPSocketWrap").length;
      const before = countSockets();
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      socket.resume().write(HANDSHAKE);
      await once(socket, "end");
      // The client keeps its half open.
      await waitUntil(() => countSockets() <= before + 1);
      expect(socket.writable).to.equal(true);
      socket.destroy();
    });
});
