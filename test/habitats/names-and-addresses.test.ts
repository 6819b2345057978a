/** Addresses that the service listens on, is opened at, and accepts. */
import { request } from "node:http";
import { expect } from "chai";
import { WebSocket } from "ws";
import { ConfigError, readConfig } from "../../backend/config/config.ts";
import { findGivenNode } from "../../scripts/cli/node.ts";
import { useTestStack } from "../helpers/suite.ts";

/** The answer to a request with this Host and Origin, which `fetch` would overwrite. */
const send = (url: string, path: string, headers: { readonly [name: string]: string }, body: object) =>
  new Promise<{
    status: number;
    json: { readonly [name: string]: string };
    headers: { readonly [name: string]: unknown };
  }>((resolve, reject) => {
    const sent = request(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
    });
    sent.on("error", reject);
    sent.on("response", async (response) => {
      const text = (await response.toArray()).join("");
      resolve({
        status: response.statusCode!,
        headers: response.headers,
        json: text.startsWith("{") ? JSON.parse(text) : null,
      });
    });
    sent.end(JSON.stringify(body));
  });

/** Origins of pages, and whether they may open sockets if no public URL is set. */
const PAGES: readonly (readonly [title: string, origin: string, isOwn: boolean])[] = [
  ["the page at localhost", "http://localhost:PORT", true],
  ["the page at 127.0.0.1", "http://127.0.0.1:PORT", true],
  ["the page at another loopback address", "http://127.8.9.1:PORT", true],
  ["the page at [::1]", "http://[::1]:PORT", true],
  ["a published port", "http://localhost:8080", true],
  ["a published port 80", "http://localhost", true],
  ["TLS in front", "https://localhost:8443", true],
  ["a name below localhost", "http://arcade.localhost:8080", true],
  ["localhost with the dot of a full name", "http://localhost.:PORT", true],
  ["127.0.0.1 in IPv6", "http://[::ffff:127.0.0.1]:PORT", true],
  ["the machine as a container of Docker names it", "http://host.docker.internal:PORT", true],
  ["the machine as a container of Podman names it", "http://host.containers.internal:PORT", true],
  ["a name below that of the machine", "http://evil.host.docker.internal:PORT", false],
  ["a name that only ends like it", "http://host.docker.internal.evil.example:PORT", false],
  ["another address in IPv6", "http://[::ffff:192.0.2.1]:PORT", false],
  ["a name that only looks local", "http://localhost.evil.example:PORT", false],
  ["a site under the service's port", "http://evil.example:PORT", false],
  ["a file or a sandboxed frame", "null", false],
];

/** The result does not depend on the host, so the second one is tested with one page of each kind. */
const HOSTS: readonly (readonly [host: string, pages: typeof PAGES])[] = [
  ["0.0.0.0", PAGES],
  ["::", PAGES.filter(([, origin]) => /localhost:PORT|evil\.example:PORT/.test(origin))],
];

/** Hosts in the URLs of programs: a published port, another container or pod, another machine of the network. */
const NAMES = [
  "localhost:9545",
  "127.0.0.1:8545",
  "localhost.:8545",
  "host.docker.internal:8545",
  "arcade:8545",
  "arcade.default.svc.cluster.local:8545",
  "arcade.home.arpa",
  "192.168.1.20:8545",
  "0.0.0.0:8545",
  "[fd00::2]:8545",
];

for (const [host, pages] of HOSTS)
  describe(`a service that listens on ${host}`, () => {
    const stack = useTestStack({ env: { ARCADE_HOST: host, ARCADE_MCP: "on" } });
    const getPort = () => new URL(stack.app.httpUrl).port;
    const direct = () => `http://127.0.0.1:${getPort()}`;
    const startGame = () => send(direct(), "/api/games/flappybots/sessions/start", {}, { source: "browser_ws" });

    it("prints an address that can be opened, and returns it to clients", async () => {
      expect(stack.app.httpUrl).to.match(/^http:\/\/localhost:\d+$/);
      const { json } = await startGame();
      expect(json.wsUrl).to.match(new RegExp(`^${stack.app.wsUrl}/ws/`));
      const walletAddress = stack.accounts[0]!.address;
      const nonce = await send(direct(), "/api/games/flappybots/auth/nonce", {}, { walletAddress });
      expect(nonce.json.message).to.match(new RegExp(`^${stack.app.httpUrl} wants you to sign in`));
    });

    for (const [title, origin, isOwn] of pages)
      it(`${isOwn ? "accepts" : "rejects"} sockets and calls of /mcp from ${title}`, async () => {
        const page = origin.replace("PORT", getPort());
        const { json } = await startGame();
        const socket = new WebSocket(
          `${direct().replace("http", "ws")}/ws/flappybots/play?sessionId=${json.sessionId}`,
          {
            headers: { origin: page },
          },
        );
        const opened = await new Promise<boolean>((resolve) => {
          socket.once("open", () => resolve(true)).once("error", () => resolve(false));
        });
        socket.terminate();
        expect(opened).to.equal(isOwn);
        const name = URL.canParse(page) ? new URL(page).host : "null";
        const call = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
        const accept = "application/json, text/event-stream";
        const answer = await send(direct(), "/mcp", { origin: page, host: name, accept }, call);
        expect(answer.status).to.equal(isOwn ? 200 : 403);
      });

    it("allows programs to use the chain by every name that it has on this machine and network", async () => {
      const call = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };
      const rpcUrl = `http://127.0.0.1:${new URL(stack.chain.rpcUrl).port}`;
      for (const name of NAMES)
        expect((await send(rpcUrl, "/", { host: name }, call)).json?.result, name).to.equal("0x7a69");
    });

    it("allows programs to use /mcp by the same names, and pages of the network not", async () => {
      const call = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
      for (const name of NAMES) expect((await send(direct(), "/mcp", { host: name }, call)).status, name).to.equal(200);
      for (const name of ["rebound.example", "localhost.evil.example", "a b"])
        expect((await send(direct(), "/mcp", { host: name }, call)).status, name).to.equal(403);
      for (const name of ["arcade:4100", "192.168.1.20:4100"])
        expect((await send(direct(), "/mcp", { host: name, origin: `http://${name}` }, call)).status).to.equal(403);
    });

    it("does not allow pages of the network to use the chain", async () => {
      const call = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };
      const rpcUrl = `http://127.0.0.1:${new URL(stack.chain.rpcUrl).port}`;
      for (const name of ["arcade:8545", "192.168.1.20:8545"])
        expect((await send(rpcUrl, "/", { host: name, origin: `http://${name}` }, call)).status, name).to.equal(403);
      for (const name of ["rebound.example", "local.example", "192.168.1.20.rebound.example", "a.b"])
        expect((await send(rpcUrl, "/", { host: name }, call)).status, name).to.equal(403);
    });
  });

/** Origins of extension pages; a wallet's requests carry them. */
const EXTENSIONS = [
  "chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn",
  "moz-extension://9c1a7e1e-4c38-4b1c-9d4e-0a1b2c3d4e5f",
  "safari-web-extension://9C1A7E1E-4C38-4B1C-9D4E-0A1B2C3D4E5F",
];

describe("the development chain", () => {
  const stack = useTestStack();
  const call = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };

  for (const origin of EXTENSIONS)
    it(`answers the wallet at ${origin.split(":")[0]}`, async () => {
      const answer = await send(stack.chain.rpcUrl, "/", { origin }, call);
      expect(answer.json.result).to.equal("0x7a69");
      expect(answer.headers["access-control-allow-origin"]).to.equal(origin);
      expect(answer.headers["access-control-allow-private-network"]).to.equal("true");
    });

  for (const origin of ["https://evil.example", "null", "chrome-extension.evil://x", "http://chrome-extension:8545"])
    it(`does not answer ${origin}`, async () => {
      const sent = fetch(stack.chain.rpcUrl, {
        method: "POST",
        headers: { origin, "content-type": "application/json" },
      });
      expect((await sent).status).to.equal(403);
    });
});

describe("ARCADE_HOST", () => {
  const VALID = { "::1": "::1", "[::1]": "::1", "arcade-7c9f-xk2lp": "arcade-7c9f-xk2lp", "192.0.2.1": "192.0.2.1" };
  for (const [text, host] of Object.entries(VALID))
    it(`may be ${text}`, () => expect(readConfig({ ARCADE_HOST: text }).host).to.equal(host));
  it("may end with the line ends of Windows and of Docker's --env-file", () =>
    expect(readConfig({ ARCADE_HOST: "::1\r", ARCADE_PORT: " 4200 " })).to.include({ host: "::1", port: 4200 }));
  it("may have the quotes that Docker's --env-file keeps", () => {
    const config = readConfig({ ARCADE_HOST: "'::1'\r", ARCADE_PORT: '"4200"', ARCADE_PUBLIC_URL: '" "' });
    expect(config).to.include({ host: "::1", port: 4200, publicUrl: null });
    for (const text of ['"::1', "::1'", `"::1'`, '""::1""'])
      expect(() => readConfig({ ARCADE_HOST: text }), text).to.throw(ConfigError, "ARCADE_HOST");
  });
  it("can be set beside the former name of another setting, whose current name has priority", () => {
    expect(readConfig({ ARCADE_HOST: "::1", ARCADE_HOUSE_AGENTS: "off" })).to.include({ demoAgents: "off" });
    const [former, present] = [{ ARCADE_HOUSE_AGENTS: "off" }, { ARCADE_DEMO_AGENTS: "on" }];
    for (const both of [
      { ...former, ...present },
      { ...present, ...former },
    ])
      expect(readConfig(both)).to.include({ demoAgents: "on" });
    expect(readConfig({ ...former, ARCADE_DEMO_AGENTS: "" })).to.include({ demoAgents: "off" });
  });
  it("has the default port if only quotes and spaces are given", () => {
    for (const text of ["", " ", '""', "' '"])
      expect(readConfig({ ARCADE_PORT: text }), text).to.include({ port: 4100, portIsSet: false });
    expect(readConfig({ ARCADE_PORT: "'4100'" })).to.include({ port: 4100, portIsSet: true });
  });
  it("is not the only setting from which commands remove quotes", () => {
    expect(findGivenNode({}, { ARCADE_RPC_URL: '"http://127.0.0.1:8545, http://127.0.0.1:8546"' })).to.equal(
      "http://127.0.0.1:8545",
    );
    expect(findGivenNode({}, { ARCADE_RPC_URL: '" "' })).to.equal(undefined);
  });
  for (const text of ["http://localhost", "localhost:4100", "0.0.0.0:4100", "*", "a b"])
    it(`may not be ${text}`, () =>
      expect(() => readConfig({ ARCADE_HOST: text })).to.throw(ConfigError, "ARCADE_HOST"));
});

describe("ARCADE_DATABASE_URL", () => {
  const read = (url: string) => readConfig({ ARCADE_DATABASE_URL: url }).databaseUrl;
  for (const url of [
    "postgres://u:p@ss@db/arcade",
    "postgres://u:p%23%2F@db:6432/arcade?sslmode=require",
    "postgres:///arcade?host=/var/run/postgresql",
    "postgresql://[::1]/arcade",
  ])
    it(`may be ${url}`, () => expect(read(url)).to.equal(url));
  for (const url of [
    "postgres://u:p#s@db/arcade",
    "postgres://u:p/s@db/arcade",
    "postgres://db1:5432,db2:5432/arcade",
    "postgres://a,b/arcade",
    "postgres://u:12#3@db/arcade",
  ])
    it(`may not be ${url}, and is not printed`, () => {
      const issue = /ARCADE_DATABASE_URL: expected .*%23 for #.*, received a value that is not shown/;
      expect(() => read(url)).to.throw(ConfigError, issue);
    });
});
