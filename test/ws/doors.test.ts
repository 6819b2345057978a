import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import type { SessionRow } from "../../backend/ports.ts";
import { type LiveSuite, startLiveSuite } from "../runtime/live-suite.ts";

describe("opening a channel", () => {
  let suite: LiveSuite;
  let row: SessionRow;
  beforeEach(async () => {
    suite = await startLiveSuite();
    row = await suite.startSession();
  });
  afterEach(() => suite.stop());

  /** The HTTP answer to an upgrade that is refused. */
  async function refusal(path: string, headers: Record<string, string> = {}) {
    const upgrade = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13" };
    const { port } = new URL(suite.url("play", row));
    const call = request({
      host: "127.0.0.1",
      port,
      path,
      headers: { ...upgrade, "Sec-WebSocket-Key": Buffer.alloc(16).toString("base64"), ...headers },
    });
    call.end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    const chunks = await response.toArray();
    return {
      status: response.statusCode,
      headers: response.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    };
  }

  it("refuses unknown paths, slugs and sessions with 404 and the JSON error", async () => {
    const id = row.sessionId;
    for (const [path, code] of [
      [`/ws/shellrunners/watch?sessionId=${id}`, "NOT_FOUND"],
      [`/socket?sessionId=${id}`, "NOT_FOUND"],
      [`/ws/chess/play?sessionId=${id}`, "GAME_NOT_FOUND"],
      [`/ws/flappybots/play?sessionId=${id}`, "SESSION_NOT_FOUND"],
      ["/ws/shellrunners/play", "SESSION_NOT_FOUND"],
      ["/ws/shellrunners/play?sessionId=__proto__", "SESSION_NOT_FOUND"],
      ["/ws/shellrunners/spectate?sessionId=00000000-0000-7000-8000-000000000000", "SESSION_NOT_FOUND"],
    ] as const) {
      const { status, headers, body } = await refusal(path, { "X-Request-Id": "request-0001" });
      expect({ path, status, code: body.code }).to.deep.equal({ path, status: 404, code });
      expect(body).to.include({ ok: false, retryable: false, status: 404, requestId: "request-0001" });
      expect(body.type).to.equal(`/docs/errors#${code}`);
      expect(headers["content-type"]).to.equal("application/problem+json");
      expect(headers["x-request-id"]).to.equal("request-0001");
    }
  });

  it("refuses an unknown encoding, and any on the play channel, with 400", async () => {
    for (const query of ["spectate?enc=zip", "spectate?enc=", "play?enc=compact"]) {
      const { status, body } = await refusal(`/ws/shellrunners/${query}&sessionId=${row.sessionId}`);
      expect({ query, status, code: body.code }).to.deep.equal({ query, status: 400, code: "VALIDATION_FAILED" });
    }
  });

  it("refuses a foreign origin with 403 and takes its own and an absent one", async () => {
    const path = `/ws/shellrunners/play?sessionId=${row.sessionId}`;
    const { status, body } = await refusal(path, { Origin: "http://evil.example" });
    expect(status).to.equal(403);
    expect(body.code).to.equal("ORIGIN_DENIED");
    await suite.socket("play", row, { headers: { Origin: "http://good.example" } }).open();
    await suite.socket("play", row).open();
  });

  it("leaves requests that offer another protocol than WebSocket to the HTTP routes", async () => {
    const { port } = new URL(suite.url("play", row));
    const headers = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAMAAABk" };
    const call = request({ host: "127.0.0.1", port, path: "/api/games/catalog", headers });
    call.end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    expect(response.statusCode).to.equal(200);
    response.resume();
  });

  it("normalizes historical spellings of a slug", async () => {
    const flappy = await suite.startSession({ slug: "flappybots" });
    await suite.join("play", { ...flappy, slug: "flappy-bots" });
  });

  it("closes 4001 when no token comes in time", async () => {
    const socket = await suite.socket("play", row).open();
    await suite.until(() => suite.sockets.stats().connections === 1);
    await suite.run(5000);
    expect(await socket.closed).to.deep.equal({ code: 4001, reason: "AUTH_TIMEOUT" });
  });

  for (const first of [
    "hello",
    "{}",
    '{"t":"auth"}',
    '{"t":"auth","token":"secret"}',
    '{"t":"input","dir":"left"}',
    "[]",
  ]) {
    it(`closes 4002 INVALID_TOKEN after ${first}`, async () => {
      const socket = await suite.socket("play", row).open();
      socket.send(first);
      expect(await socket.closed).to.deep.equal({ code: 4002, reason: "INVALID_TOKEN" });
      expect(socket.messages).to.deep.equal([]);
    });
  }

  async function reasonOf(role: "play" | "spectate", token: string, of: SessionRow = row) {
    const socket = await suite.socket(role, of).open();
    socket.send({ t: "auth", token });
    return socket.closed;
  }

  it("tells unknown, foreign, used, revoked and expired tokens apart", async () => {
    const unknown = `ap_${"A".repeat(43)}`;
    expect(await reasonOf("play", unknown)).to.deep.equal({ code: 4002, reason: "TOKEN_NOT_FOUND" });

    const spectate = await suite.spectateToken(row);
    expect(await reasonOf("play", spectate)).to.deep.equal({ code: 4002, reason: "INVALID_TOKEN" });
    const other = await suite.startSession();
    const others = await suite.playToken(other);
    expect(await reasonOf("play", others)).to.deep.equal({ code: 4002, reason: "INVALID_TOKEN" });

    const revoked = await suite.playToken(row);
    const token = await suite.playToken(row);
    expect(await reasonOf("play", revoked)).to.deep.equal({ code: 4003, reason: "TOKEN_REPLAYED" });
    const socket = await suite.socket("play", row).open();
    socket.send({ t: "auth", token });
    await socket.hello();
    expect(await reasonOf("play", token)).to.deep.equal({ code: 4003, reason: "TOKEN_REPLAYED" });

    const short = await suite.playToken(row, 1000);
    suite.clock.advance(1000);
    expect(await reasonOf("play", short)).to.deep.equal({ code: 4003, reason: "TOKEN_EXPIRED" });
  });

  it("does not accept an expired token because the wall clock was set back and forth", async () => {
    const token = await suite.playToken(row, 1000);
    suite.clock.jumpWall(10 * 60_000);
    expect(await reasonOf("play", token)).to.deep.equal({ code: 4003, reason: "TOKEN_EXPIRED" });
  });

  it("lets exactly one of many sockets in with one token", async () => {
    const token = await suite.playToken(row);
    const sockets = await Promise.all(Array.from({ length: 10 }, () => suite.socket("play", row).open()));
    for (const socket of sockets) socket.send({ t: "auth", token });
    const ends = await Promise.all(
      sockets.map((socket) =>
        Promise.race([socket.closed.then(({ reason }) => reason), socket.hello().then(() => "in")]),
      ),
    );
    expect(ends.filter((end) => end === "in")).to.have.length(1);
    expect(ends.filter((end) => end === "TOKEN_REPLAYED")).to.have.length(9);
  });

  it("lets exactly one in when both looked the token up before either used it", async () => {
    const token = await suite.playToken(row);
    const { find } = suite.store.channelTokens;
    let lookedUp = 0;
    suite.store.channelTokens.find = async (tokenHash) => {
      const found = await find(tokenHash);
      lookedUp += 1;
      await suite.until(() => lookedUp === 2);
      return found;
    };
    const sockets = [await suite.socket("play", row).open(), await suite.socket("play", row).open()];
    for (const socket of sockets) socket.send({ t: "auth", token });
    const [first] = await Promise.race(sockets.map((socket) => socket.closed.then((close) => [close])));
    expect(first).to.deep.equal({ code: 4003, reason: "TOKEN_REPLAYED" });
  });

  it("survives a client that is gone before its upgrade is answered", async () => {
    const { find } = suite.store.sessions;
    let asked = false;
    let answer: () => void = () => {};
    suite.store.sessions.find = async (sessionId) => {
      asked = true;
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return find(sessionId);
    };
    const url = new URL(suite.url("play", { slug: row.slug, sessionId: "00000000-0000-7000-8000-000000000000" }));
    const client = connect(Number(url.port), "127.0.0.1");
    const [server] = (await once(suite.server, "connection")) as [Socket];
    client.write(
      `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    await suite.until(() => asked);
    client.resetAndDestroy();
    await suite.until(() => server.destroyed);
    answer();
    suite.store.sessions.find = find;
    await suite.join("play", row);
  });

  it("gives neither seat nor controls to a socket that is gone before its token was checked", async () => {
    const { use } = suite.store.channelTokens;
    let asked = 0;
    const answers: (() => void)[] = [];
    suite.store.channelTokens.use = async (tokenHash, atMs) => {
      asked += 1;
      await new Promise<void>((resolve) => answers.push(resolve));
      return use(tokenHash, atMs);
    };
    for (const role of ["play", "spectate"] as const) {
      const socket = await suite.socket(role, row).open();
      socket.send({ t: "auth", token: await (role === "play" ? suite.playToken(row) : suite.spectateToken(row)) });
      const before = asked;
      await suite.until(() => asked > before);
      socket.ws.terminate();
    }
    await suite.until(() => suite.sockets.stats().connections === 0);
    for (const resolve of answers) resolve();
    await suite.run(200);
    expect(suite.game.live.view(row.sessionId)?.spectators.current).to.equal(0);
    expect(suite.game.live.get(row.sessionId)?.playerConnected).to.equal(false);
    expect(suite.sockets.stats().channels).to.equal(0);
  });

  it("closes 4004 when the session had ended", async () => {
    const token = await suite.playToken(row);
    await suite.game.live.end(row.sessionId, "ended_by_player");
    expect(await reasonOf("play", token)).to.deep.equal({ code: 4004, reason: "SESSION_ENDED" });
  });

  it("hears messages that were sent right behind the token", async () => {
    const socket = await suite.socket("play", row).open();
    socket.send({ t: "auth", token: await suite.playToken(row) });
    socket.send({ t: "input", dir: "left", seq: 7 });
    await socket.hello();
    await suite.run(100);
    expect((await socket.frame(() => true)).ackSeq).to.equal(7);
  });

  it("closes 1012 when the store cannot check a token, and lives on", async () => {
    const token = await suite.playToken(row);
    suite.store.channelTokens.find = () => Promise.reject(new Error("disk"));
    expect(await reasonOf("play", token)).to.deep.equal({ code: 1012, reason: "SERVER_RESTART" });
    expect(suite.game.live.view(row.sessionId)?.phase).to.equal("ready");
  });

  it("drains: closes every socket with 1012 and refuses new ones with 503", async () => {
    const player = await suite.join("play", row);
    const viewer = await suite.join("spectate", row);
    const silent = await suite.socket("play", row).open();
    await suite.until(() => suite.sockets.stats().connections === 3);
    await suite.sockets.drain();
    for (const socket of [player, viewer, silent]) {
      expect(await socket.closed).to.deep.equal({ code: 1012, reason: "SERVER_RESTART" });
    }
    const { status, headers, body } = await refusal(`/ws/shellrunners/play?sessionId=${row.sessionId}`);
    expect(status).to.equal(503);
    expect(body).to.include({ code: "SHUTTING_DOWN", retryable: true });
    expect(headers["retry-after"]).to.equal("1");
    expect(suite.sockets.stats()).to.deep.equal({ connections: 0, channels: 0, strangers: 0 });
  });
});
