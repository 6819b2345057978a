import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { root } from "../../../scripts/start/build.ts";

/** A process that requests a node's chain id, and prints the answer or the error with all its fields. */
const ASK_SCRIPT = `
const { inspect } = await import("node:util");
const { createNodeTransport } = await import("./backend/adapters/chain/transport.ts");
const { request } = createNodeTransport(process.argv[1], 30000)({ retryCount: 0 });
const answer = await request({ method: "eth_chainId" }).catch((error) => inspect(error, { depth: 20, showHidden: true }));
process.stdout.write(answer);`;
const SECRET = "pathsecret1234";

const answerCalls: RequestListener = async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  const calls = JSON.parse(text) as readonly { readonly id: number }[];
  response.end(JSON.stringify(calls.map(({ id }) => ({ jsonrpc: "2.0", id, result: "0x7a69" }))));
};

describe("the address of a node", () => {
  const folder = mkdtempSync(join(tmpdir(), "arcade-node-tls-"));
  const [keyFile, certificateFile] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  let server: Server & { closeAllConnections(): void };
  before(() => {
    const subject = ["-subj", "/CN=node", "-addext", "subjectAltName=DNS:localhost"];
    const files = ["-keyout", keyFile, "-out", certificateFile, "-days", "2"];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...files, ...subject], { stdio: "pipe" });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function listen(started: typeof server, host: string): Promise<number> {
    server = started;
    server.listen(0, host);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }
  async function ask(url: string, trusted: string | null): Promise<string> {
    const trust = trusted === null ? {} : { NODE_EXTRA_CA_CERTS: trusted };
    const env = { PATH: process.env.PATH ?? "", ...trust };
    const args = ["--input-type=module", "-e", ASK_SCRIPT, url];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env });
    return stdout;
  }

  it("may be https, with a trusted certificate for the host", async () => {
    const tls = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
    const port = await listen(createHttpsServer(tls, answerCalls), "127.0.0.1");
    const url = `https://localhost:${port}/${SECRET}`;
    expect(await ask(url, certificateFile)).to.equal("0x7a69");
    for (const [rejected, code] of [
      [await ask(url, null), "DEPTH_ZERO_SELF_SIGNED_CERT"],
      [await ask(`https://127.0.0.1:${port}/${SECRET}`, certificateFile), "ERR_TLS_CERT_ALTNAME_INVALID"],
    ] as const) {
      expect(rejected).to.include(code);
      expect(rejected).to.not.include(SECRET);
    }
  });

  it("may have an IPv6 address", async () => {
    const port = await listen(createHttpServer(answerCalls), "::1");
    expect(await ask(`http://[::1]:${port}/${SECRET}`, null)).to.equal("0x7a69");
  });
});
