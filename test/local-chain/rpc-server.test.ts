import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { WebSocket } from "ws";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { type LocalChain, startLocalChain } from "../../local-chain/local-chain.ts";

describe("the local chain's node", () => {
  let folder: string;
  let chain: LocalChain;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "arcade-rpc-"));
    chain = await startLocalChain({ dataDir: folder, port: 0, whenBusy: "fail", accounts: [developmentAccount(0)] });
  });
  after(async () => {
    await chain.close();
    await rm(folder, { recursive: true });
  });

  const json = { "Content-Type": "application/json" };
  /** `fetch` would write its own Host. */
  const call = (headers: { readonly [name: string]: string }, method = "POST") =>
    new Promise<{ status: number; allowed: unknown; body: string }>((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port: chain.port, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            allowed: response.headers["access-control-allow-origin"],
            body: String(Buffer.concat(chunks)),
          }),
        );
      });
      sent.on("error", reject);
      sent.end(method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}' : undefined);
    });
  const openSocket = (headers: { readonly [name: string]: string }) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${chain.port}`, { headers });
      socket.once("open", () => {
        socket.terminate();
        resolve("open");
      });
      socket.once("error", () => resolve("rejected"));
    });

  it("answers programs and pages of this machine, under all its names", async () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const answer = await call({ ...json, Host: `${host}:${chain.port}` });
      expect(JSON.parse(answer.body).result, host).to.equal("0x7a69");
      expect(answer.allowed).to.equal(undefined);
      const page = await call({ ...json, Origin: `http://${host}:4100` });
      expect(page).to.include({ status: 200, allowed: `http://${host}:4100` });
    }
    expect((await call({ "Content-Type": "text/plain" })).status).to.equal(200);
    expect(await openSocket({ Origin: "http://localhost:4100" })).to.equal("open");
  });

  for (const origin of ["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://"])
    it(`rejects a page of ${origin}`, async () => {
      const answer = await call({ ...json, Origin: origin });
      expect(answer).to.include({ status: 403, allowed: undefined });
      expect((await call({ Origin: origin }, "OPTIONS")).status).to.equal(403);
      expect(await openSocket({ Origin: origin })).to.equal("rejected");
    });

  it("answers clients that offer HTTP/2, as Java's does", async () => {
    const headers = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAMAAABk" };
    expect(JSON.parse((await call({ ...json, ...headers })).body).result).to.equal("0x7a69");
  });

  it("rejects a host name that resolves to this machine", async () => {
    expect((await call({ ...json, Host: `rebound.example:${chain.port}` })).status).to.equal(403);
    expect(await openSocket({ Host: "rebound.example" })).to.equal("rejected");
  });

  it("answers no notification (JSON-RPC 2.0, 4.1), alone or in a batch", async () => {
    const post = async (body: unknown) => {
      const response = await fetch(chain.rpcUrl, { method: "POST", headers: json, body: JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    };
    const notification = { jsonrpc: "2.0", method: "evm_mine" };
    const request = { ...notification, id: 0, method: "eth_blockNumber" };
    expect(await post(notification)).to.deep.equal({ status: 204, text: "" });
    expect(await post([notification, notification])).to.deep.equal({ status: 204, text: "" });
    const { status, text } = await post([notification, request, { ...request, id: null }]);
    expect(status).to.equal(200);
    expect(JSON.parse(text)).to.have.length(2);
    expect(await chain.request("eth_blockNumber")).to.equal("0x4");
    for (const invalid of [[], { id: 1 }, { method: 5 }, [5]])
      expect((await post(invalid)).text, JSON.stringify(invalid)).to.include("-32600");
    const socket = new WebSocket(chain.rpcUrl.replace("http", "ws"));
    await once(socket, "open");
    for (const body of [notification, [notification], request]) socket.send(JSON.stringify(body));
    const [first] = await once(socket, "message");
    socket.terminate();
    expect(JSON.parse(String(first))).to.include({ id: 0 });
  });

  it("quotes a request that it cannot read, and accepts a byte-order mark", async () => {
    const post = async (body: string) => (await fetch(chain.rpcUrl, { method: "POST", headers: json, body })).text();
    expect(await post('{"id":1,"method":"eth_chainId","params":{}}')).to.match(/received .*params.*{}/);
    expect(await post("eth_chainId")).to.match(/-32700.*received .*eth_chainId/);
    expect(await post('\ufeff{"id":1,"method":"eth_chainId"}')).to.include("0x7a69");
  });

  it("takes subscriptions as geth does, names the kinds, and gives every answer a result", async () => {
    const socket = new WebSocket(chain.rpcUrl.replace("http", "ws"));
    await once(socket, "open");
    const ask = async (method: string, params: readonly unknown[]) => {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }));
      for (;;) {
        const answer = JSON.parse(String((await once(socket, "message"))[0]));
        if (answer.id === 7) return answer;
      }
    };
    for (const params of [["newPendingTransactions", false], ["newHeads", null], ["logs"]])
      expect((await ask("eth_subscribe", params)).result, String(params)).to.match(/^0x/);
    for (const params of [["newPendingTransactions", true], ["syncing"], []])
      expect((await ask("eth_subscribe", params)).error?.message, String(params)).to.match(
        /^Expected a subscription to newHeads, .* received/,
      );
    await ask("evm_mine", []);
    expect(await ask("anvil_reorg", [1, []])).to.have.property("result", null);
    socket.terminate();
  });

  it("tells clients that a request is too long, over HTTP and a WebSocket", async () => {
    for (const mebibytes of [6, 20]) {
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "eth_call",
        params: ["0".repeat(mebibytes * 2 ** 20)],
      });
      const answer = await fetch(chain.rpcUrl, { method: "POST", body });
      const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
      expect([answer.status, error.message]).to.deep.equal([413, "Expected a request of at most 5 MiB"]);
      const socket = new WebSocket(chain.rpcUrl.replace("http", "ws"));
      await once(socket, "open");
      socket.on("error", () => undefined);
      socket.send(body);
      const [code] = await once(socket, "close");
      expect(code).to.equal(1009);
    }
  });

  it("shows waiting scripts that it is up", async () => {
    expect(await call({}, "GET")).to.include({ status: 200, body: "JSON-RPC: send POST requests here.\n" });
    expect((await call({}, "HEAD")).status).to.equal(200);
    expect((await call({ Origin: "https://evil.example" }, "GET")).status).to.equal(403);
  });

  it("rejects a page's request of a type that a browser sends without a preflight", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded"])
      expect((await call({ "Content-Type": type, Origin: "http://127.0.0.1:4100" })).status).to.equal(403);
  });

  it("keeps its files from the machine's other users", async () => {
    const getMode = async (...path: string[]) => ((await stat(join(folder, ...path))).mode & 0o777).toString(8);
    expect(await getMode("chain")).to.equal("700");
    expect(await getMode("chain", "lock.db")).to.equal("600");
    expect(await getMode("chain", "journal.jsonl")).to.equal("600");
  });
});
