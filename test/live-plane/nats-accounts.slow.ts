import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../../scripts/start/build.ts";
import { getRejection } from "../adapters/store/suite.ts";
import { type NatsServer, startNats } from "../helpers/nats.ts";
import { connectBus } from "./nats-nodes.ts";

const PASSWORD = "p@ss/word";

/** A process that trusts the certificate, and prints the answer over the connection. */
const ASK_SCRIPT = `
const { Bus } = await import("./backend/adapters/live-plane/bus.ts");
const { systemClock } = await import("./backend/adapters/system/clock.ts");
const log = { debug() {}, info() {}, warn() {}, error() {} };
const bus = await Bus.connect([process.argv[1]], { clock: systemClock, log });
bus.subscribe("arcade.test", (message) => message.respond("answer to " + message.data));
bus.request("arcade.test", "question", 30000, async ({ data }) => {
  process.stdout.write(String(data));
  await bus.close();
});`;

describe("nats-server with accounts and TLS", () => {
  let nats: NatsServer | null = null;
  const folder = mkdtempSync(join(tmpdir(), "arcade-nats-tls-"));
  afterEach(async () => {
    await nats?.stop();
    nats = null;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const toUrl = (server: NatsServer, account: string): string =>
    `nats://${account}127.0.0.1:${new URL(server.url).port}`;
  const isAnswered = async (url: string): Promise<boolean> => {
    const bus = await connectBus(url);
    bus.subscribe("arcade.test", (message) => message.respond("yes"));
    const reply = await bus.ask("arcade.test", "question", 30_000);
    await bus.close();
    return reply.kind === "reply" && String(reply.data) === "yes";
  };
  const getMessage = async (promise: Promise<unknown>) => (await getRejection(promise)).message;

  it("accepts the user and password of the URL, and no others", async () => {
    nats = await startNats(["--user", "arcade", "--pass", PASSWORD]);
    expect(await isAnswered(toUrl(nats, `arcade:${encodeURIComponent(PASSWORD)}@`))).to.equal(true);
    for (const account of ["", "arcade:wrong@", `other:${encodeURIComponent(PASSWORD)}@`])
      expect(await getMessage(connectBus(toUrl(nats, account))))
        .to.match(/^ARCADE_NATS_URL: .* 127\.0\.0\.1:\d+, received: authorization violation; start it, or correct/i)
        .and.not.match(/wrong|p%40ss/);
  });

  it("accepts a token, as the user without a password", async () => {
    nats = await startNats(["--auth", "a-token-of-nats"]);
    expect(await isAnswered(toUrl(nats, "a-token-of-nats@"))).to.equal(true);
    expect(await getMessage(connectBus(toUrl(nats, "another@")))).to.match(/authorization violation/i);
  });

  it("is reached over TLS only if its certificate is trusted", async () => {
    const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
    const subject = ["-subj", "/CN=nats", "-addext", "subjectAltName=DNS:localhost"];
    const files = ["-keyout", key, "-out", certificate, "-days", "2"];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...files, ...subject], { stdio: "pipe" });
    nats = await startNats(["--tls", "--tlscert", certificate, "--tlskey", key]);
    // The client compares the certificate only with names, not with addresses.
    const url = `tls://localhost:${new URL(nats.url).port}`;
    expect(await getMessage(connectBus(url))).to.match(/certificate/i);
    const answer = execFileSync(process.execPath, ["--input-type=module", "-e", ASK_SCRIPT, url], {
      cwd: root,
      encoding: "utf8",
      stdio: "pipe",
      timeout: 60_000,
      env: { PATH: process.env.PATH ?? "", NODE_EXTRA_CA_CERTS: certificate },
    });
    expect(answer).to.equal("answer to question");
  });
});
