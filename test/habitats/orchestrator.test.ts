/** Variables that an orchestrator adds, and the errors of a machine that lacks what the service needs. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { makeDataFolder } from "../../backend/adapters/node/data-folder.ts";
import { listen } from "../../backend/adapters/node/listen.ts";
import { ConfigError, readConfig, readConfigAndSecrets } from "../../backend/config/config.ts";
import { root } from "../../scripts/start/build.ts";

/** The variables that the kubelet makes of a Service's port. */
function createServiceLinks(service: string, address: string, port: number, protocol = "tcp"): Record<string, string> {
  const name = service.toUpperCase().replaceAll("-", "_");
  const [url, link] = [`${protocol}://${address}:${port}`, `${name}_PORT_${port}_${protocol.toUpperCase()}`];
  return {
    [`${name}_SERVICE_HOST`]: address,
    [`${name}_SERVICE_PORT`]: String(port),
    [`${name}_SERVICE_PORT_HTTP`]: String(port),
    [`${name}_PORT`]: url,
    [link]: url,
    [`${link}_PROTO`]: protocol,
    [`${link}_PORT`]: String(port),
    [`${link}_ADDR`]: address,
  };
}

const LINKS: { readonly [title: string]: Record<string, string> } = {
  "a Service named arcade": createServiceLinks("arcade", "10.96.31.7", 80),
  "one whose port variable is that of another setting": createServiceLinks("arcade-rpc", "10.96.0.4", 8545),
  "one for the database": createServiceLinks("arcade-postgres", "10.96.0.5", 5432),
  "one with an IPv6 address": createServiceLinks("arcade", "[fd00:10:96::7]", 443),
  "one over UDP": createServiceLinks("arcade-dns", "10.96.0.10", 53, "udp"),
  "one over SCTP": createServiceLinks("arcade-signal", "10.96.0.11", 3868, "sctp"),
  "one named like a game's setting": createServiceLinks("arcade-tick-hz", "10.96.0.12", 80),
};

describe("the variables of Kubernetes", () => {
  for (const [title, links] of Object.entries(LINKS))
    it(`of ${title} are not settings`, () => {
      const { config } = readConfigAndSecrets(links);
      expect(config).to.include({ port: 4100, portIsSet: false, rpcPort: 8545, rpcPortIsSet: false });
    });

  it("do not hide a setting in the manifest", () => {
    const config = readConfig({ ...LINKS["a Service named arcade"], ARCADE_PORT: "4200" });
    expect(config).to.include({ port: 4200, portIsSet: true });
  });

  it("are distinguished from misspelled settings", () => {
    for (const name of ["ARCADE_PROT", "ARCADE_SERVICE", "ARCADE_PORT_HTTP", "ARCADE_HOST_PORT"])
      expect(() => readConfig({ [name]: "4100" }), name).to.throw(ConfigError, name);
    expect(() => readConfig({ ARCADE_PORT: "http://10.0.0.1:80" })).to.throw(ConfigError, "ARCADE_PORT");
  });
});

describe("a switch", () => {
  const readSwitches = (text: string) => {
    const { mcp, allowErc1271 } = readConfig({ ARCADE_MCP: text, ARCADE_AUTH_ALLOW_ERC1271: text });
    return [mcp, allowErc1271];
  };

  it("may be what YAML, Ansible and Terraform make of on and off", () => {
    for (const text of ["on", "ON", "true", "True", "yes", "1"])
      expect(readSwitches(text), text).to.deep.equal(["on", true]);
    for (const text of ["off", "Off", "false", "False", "no", "0"])
      expect(readSwitches(text), text).to.deep.equal(["off", false]);
    expect(readConfig({ ARCADE_TRUST_PROXY: "True" }).trustProxy).to.equal(1);
  });

  it("may be nothing else", () => {
    for (const text of ["maybe", "2", "constructor", "y"])
      expect(() => readSwitches(text), text).to.throw(ConfigError, /expected true or false[\s\S]*expected on or off/);
  });
});

describe("a machine whose programs use a proxy", () => {
  it("does not send requests to this machine through it", async () => {
    let requests = 0;
    const server = createHttpServer((_, response) => {
      requests += 1;
      response.end('{"jsonrpc":"2.0","id":1,"result":"0x7a69"}');
    });
    const port = await listen(server, { port: 0, host: "127.0.0.1", whenBusy: "fail", portVariable: "ARCADE_PORT" });
    const program = `
      const { bypassProxyLocally } = await import("./backend/config/environment.ts");
      bypassProxyLocally();
      const { get } = await import("node:http");
      for (const host of ["127.0.0.1", "localhost"]) {
        const url = \`http://\${host}:${port}\`;
        await fetch(url);
        await new Promise((resolve, reject) => get(url, resolve).on("error", reject));
      }
      const outside = await fetch("http://arcade.example/").catch(({ cause }) => cause.port);
      process.exit(outside === 9 ? 0 : 1);`;
    try {
      for (const variables of [
        { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "" },
        { NODE_OPTIONS: "--use-env-proxy", http_proxy: "http://127.0.0.1:9", no_proxy: "intranet.example" },
      ])
        await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
          cwd: root,
          env: variables,
        });
      // By `fetch` and `get` of two programs, to two names of this machine.
      expect(requests).to.equal(8);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe("a machine that lacks what the service needs", () => {
  /** Addresses for documentation only, and a name that cannot exist (RFC 5737, RFC 6761). */
  for (const host of ["203.0.113.7", "no-such-host.invalid"])
    it(`is reported for the address to listen on: ${host}`, async () => {
      const options = { port: 0, host, whenBusy: "fail", portVariable: "ARCADE_PORT" } as const;
      const error = await listen(createServer(), options).catch((cause: Error) => cause);
      expect(String(error)).to.include(`no address ${host}. Set ARCADE_HOST`);
    });

  it("is reported for :: on a machine without IPv6", async () => {
    const server = createServer();
    const fault = Object.assign(new Error("listen EAFNOSUPPORT"), { code: "EAFNOSUPPORT" });
    server.listen = () => {
      server.emit("error", fault);
      return server;
    };
    const options = { port: 0, host: "::", whenBusy: "fail", portVariable: "ARCADE_PORT" } as const;
    const error = await listen(server, options).catch((cause: Error) => cause);
    expect(String(error)).to.include("no address ::. Set ARCADE_HOST to one that it has, or to 0.0.0.0");
  });

  for (const name of ["file", "file/below"])
    it(`is reported for its data folder: ${name}`, () => {
      const folder = mkdtempSync(join(tmpdir(), "arcade-habitat-"));
      try {
        writeFileSync(join(folder, "file"), "");
        const path = join(folder, name);
        expect(() => makeDataFolder(path))
          .to.throw(`can write, received ${path} (E`)
          .with.property("cause");
        makeDataFolder(join(folder, "a/b"));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
});
