import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { useEach } from "../helpers/fixture.ts";
import { startLiveTestServer } from "../live/live-suite.ts";

describe("opening a channel", () => {
  let row: SessionRow;
  const testServer = useEach(startLiveTestServer);
  beforeEach(async () => {
    row = await testServer.startSession();
  });

  /** The HTTP response to a rejected upgrade. */
  async function getRejection(path: string, headers: Record<string, string> = {}) {
    const upgrade = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13" };
    const { port } = new URL(testServer.url("play", row));
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

  it("an upgrade with an unknown path, slug or session is rejected with 404 and a problem document", async () => {
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
      const { status, headers, body } = await getRejection(path, { "X-Request-Id": "request-0001" });
      expect({ path, status, code: body.code }).to.deep.equal({ path, status: 404, code });
      expect(body).to.include({ ok: false, retryable: false, status: 404, requestId: "request-0001" });
      expect(body.type).to.equal(`/docs/errors#${code}`);
      expect(headers["content-type"]).to.equal("application/problem+json; charset=utf-8");
      expect(headers["x-request-id"]).to.equal("request-0001");
      if (!path.includes("sessionId")) expect(body.error).to.match(/^Expected .*\?sessionId=.*, received no sessionId/);
    }
  });

  it("an upgrade with an unknown encoding, or with any on the play channel, is rejected with 400", async () => {
    for (const query of ["spectate?enc=zip", "spectate?enc=", "play?enc=compact"]) {
      const { status, body } = await getRejection(`/ws/shellrunners/${query}&sessionId=${row.sessionId}`);
      expect({ query, status, code: body.code }).to.deep.equal({ query, status: 400, code: "VALIDATION_FAILED" });
    }
  });

  it("an upgrade with two Host headers is rejected with 400", async () => {
    const { host, port, pathname, search } = new URL(testServer.url("play", row));
    const socket = connect(Number(port), "127.0.0.1");
    const headers = ["Connection: Upgrade", "Upgrade: websocket", `Host: ${host}`, `Host: ${host}`];
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
    expect((await socket.toArray()).join("")).to.match(/^HTTP\/1\.1 400 [\s\S]*"code":"BAD_REQUEST"/);
  });

  it("an upgrade with a foreign origin is rejected with 403; the service's own origin and none are accepted", async () => {
    const path = `/ws/shellrunners/play?sessionId=${row.sessionId}`;
    const { status, body } = await getRejection(path, { Origin: "http://evil.example" });
    expect(status).to.equal(403);
    expect(body.code).to.equal("ORIGIN_DENIED");
    await testServer.openSocket("play", row, { headers: { Origin: "http://good.example" } }).open();
    await testServer.openSocket("play", row).open();
  });

  it("requests that offer another protocol than WebSocket go to the HTTP routes", async () => {
    const { port } = new URL(testServer.url("play", row));
    const headers = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAMAAABk" };
    const call = request({ host: "127.0.0.1", port, path: "/api/games/catalog", headers });
    call.end();
    const [response] = (await once(call, "response")) as [IncomingMessage];
    expect(response.statusCode).to.equal(200);
    response.resume();
  });

  it("an upgrade accepts historical spellings of a slug", async () => {
    const flappy = await testServer.startSession({ slug: "flappybots" });
    const player = await testServer.join("play", { ...flappy, slug: "flappy-bots" });
    expect(player.messages[0]).to.include({ t: "hello", slug: "flappybots" });
  });

  it("a socket closes with 4001 when no token arrives in time", async () => {
    const socket = await testServer.openSocket("play", row).open();
    await testServer.waitUntil(() => testServer.sockets.stats().connections === 1);
    await testServer.advance(5000);
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
    it(`a socket closes with 4002 INVALID_TOKEN after ${first}`, async () => {
      const socket = await testServer.openSocket("play", row).open();
      socket.send(first);
      expect(await socket.closed).to.deep.equal({ code: 4002, reason: "INVALID_TOKEN" });
      const [said, ...others] = socket.messages;
      expect(said).to.include({ t: "error", code: "INVALID_TOKEN", fatal: true });
      expect(String(said?.t === "error" && said.error)).to.include(
        'Expected {"t":"auth","token":"ap_…"} as the first message; received ',
      );
      expect(said?.t === "error" && said.error).to.include(first);
      expect(others).to.deep.equal([]);
    });
  }

  async function getCloseReason(role: "play" | "spectate", token: string, of: SessionRow = row) {
    const socket = await testServer.openSocket(role, of).open();
    socket.send({ t: "auth", token });
    return socket.closed;
  }

  it("unknown, foreign, used, revoked and expired tokens have distinct close reasons", async () => {
    const unknown = `ap_${"A".repeat(43)}`;
    expect(await getCloseReason("play", unknown)).to.deep.equal({ code: 4002, reason: "TOKEN_NOT_FOUND" });

    const spectate = await testServer.createSpectateToken(row);
    expect(await getCloseReason("play", spectate)).to.deep.equal({ code: 4002, reason: "INVALID_TOKEN" });
    const other = await testServer.startSession();
    const others = await testServer.createPlayToken(other);
    expect(await getCloseReason("play", others)).to.deep.equal({ code: 4002, reason: "INVALID_TOKEN" });

    const revoked = await testServer.createPlayToken(row);
    const token = await testServer.createPlayToken(row);
    expect(await getCloseReason("play", revoked)).to.deep.equal({ code: 4003, reason: "TOKEN_REVOKED" });
    const socket = await testServer.openSocket("play", row).open();
    socket.send({ t: "auth", token });
    await socket.waitForHello();
    expect(await getCloseReason("play", token)).to.deep.equal({ code: 4003, reason: "TOKEN_REPLAYED" });

    const short = await testServer.createPlayToken(row, 1000);
    testServer.clock.advance(1000);
    expect(await getCloseReason("play", short)).to.deep.equal({ code: 4003, reason: "TOKEN_EXPIRED" });
  });

  it("an expired token stays expired when the wall clock is set back", async () => {
    const token = await testServer.createPlayToken(row, 1000);
    testServer.clock.shiftWallClock(10 * 60_000);
    expect(await getCloseReason("play", token)).to.deep.equal({ code: 4003, reason: "TOKEN_EXPIRED" });
  });

  it("exactly one of many sockets joins with the same token", async () => {
    const token = await testServer.createPlayToken(row);
    const sockets = await Promise.all(Array.from({ length: 10 }, () => testServer.openSocket("play", row).open()));
    for (const socket of sockets) socket.send({ t: "auth", token });
    const ends = await Promise.all(
      sockets.map((socket) =>
        Promise.race([socket.closed.then(({ reason }) => reason), socket.waitForHello().then(() => "in")]),
      ),
    );
    expect(ends.filter((end) => end === "in")).to.have.length(1);
    expect(ends.filter((end) => end === "TOKEN_REPLAYED")).to.have.length(9);
  });

  it("exactly one socket joins when two have read the token before either used it", async () => {
    const token = await testServer.createPlayToken(row);
    const { find } = testServer.store.channelTokens;
    let lookedUp = 0;
    testServer.store.channelTokens.find = async (tokenHash) => {
      const found = await find(tokenHash);
      lookedUp += 1;
      await testServer.waitUntil(() => lookedUp === 2);
      return found;
    };
    const sockets = [await testServer.openSocket("play", row).open(), await testServer.openSocket("play", row).open()];
    for (const socket of sockets) socket.send({ t: "auth", token });
    const [first] = await Promise.race(sockets.map((socket) => socket.closed.then((close) => [close])));
    expect(first).to.deep.equal({ code: 4003, reason: "TOKEN_REPLAYED" });
  });

  it("the server survives a client that disconnects before the response to its upgrade", async () => {
    const { find } = testServer.store.sessions;
    let lookupCount = false;
    let releaseLookup: () => void = () => {};
    testServer.store.sessions.find = async (sessionId) => {
      lookupCount = true;
      await new Promise<void>((resolve) => {
        releaseLookup = resolve;
      });
      return find(sessionId);
    };
    const url = new URL(testServer.url("play", { slug: row.slug, sessionId: "00000000-0000-7000-8000-000000000000" }));
    const client = connect(Number(url.port), "127.0.0.1");
    const [server] = (await once(testServer.httpServer, "connection")) as [Socket];
    client.write(
      `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    await testServer.waitUntil(() => lookupCount);
    client.resetAndDestroy();
    await testServer.waitUntil(() => server.destroyed);
    releaseLookup();
    testServer.store.sessions.find = find;
    const { messages } = await testServer.join("play", row);
    expect(messages[0]).to.include({ t: "hello" });
  });

  it("a socket that closes before its token was checked gets neither seat nor control", async () => {
    const { consume: use } = testServer.store.channelTokens;
    let lookupCount = 0;
    const pendingLookups: (() => void)[] = [];
    testServer.store.channelTokens.consume = async (tokenHash, atMs) => {
      lookupCount += 1;
      await new Promise<void>((resolve) => pendingLookups.push(resolve));
      return use(tokenHash, atMs);
    };
    for (const role of ["play", "spectate"] as const) {
      const socket = await testServer.openSocket(role, row).open();
      socket.send({
        t: "auth",
        token: await (role === "play" ? testServer.createPlayToken(row) : testServer.createSpectateToken(row)),
      });
      const before = lookupCount;
      await testServer.waitUntil(() => lookupCount > before);
      socket.ws.terminate();
    }
    await testServer.waitUntil(() => testServer.sockets.stats().connections === 0);
    for (const resolve of pendingLookups) resolve();
    await testServer.advance(200);
    expect(testServer.game.registry.getView(row.sessionId)?.spectators.current).to.equal(0);
    expect(testServer.game.registry.get(row.sessionId)?.playerConnected).to.equal(false);
    expect(testServer.sockets.stats().channels).to.equal(0);
  });

  it("a socket closes with 4004 when its session had ended", async () => {
    const token = await testServer.createPlayToken(row);
    await testServer.game.registry.end(row.sessionId, "ended_by_player");
    expect(await getCloseReason("play", token)).to.deep.equal({ code: 4004, reason: "SESSION_ENDED" });
  });

  it("messages immediately after the hello are handled", async () => {
    const socket = await testServer.openSocket("play", row).open();
    socket.send({ t: "auth", token: await testServer.createPlayToken(row) });
    await socket.waitForHello();
    socket.send({ t: "input", dir: "left", seq: 7 });
    socket.send({ t: "ping" });
    await socket.waitForMessage((message) => message.t === "pong");
    // The message is applied in the first tick, a second after the player has joined.
    await testServer.advance(1200);
    expect((await socket.frame(({ ackSeq }) => ackSeq !== undefined)).ackSeq).to.equal(7);
  });

  it("a socket closes with 1012 when the store cannot check its token, and the server continues", async () => {
    const token = await testServer.createPlayToken(row);
    testServer.store.channelTokens.find = () => Promise.reject(new Error("disk"));
    expect(await getCloseReason("play", token)).to.deep.equal({ code: 1012, reason: "SERVER_RESTART" });
    expect(testServer.game.registry.getView(row.sessionId)?.phase).to.equal("ready");
  });

  it("draining closes every socket with 1012 and rejects new ones with 503", async () => {
    const player = await testServer.join("play", row);
    const viewer = await testServer.join("spectate", row);
    const silent = await testServer.openSocket("play", row).open();
    await testServer.waitUntil(() => testServer.sockets.stats().connections === 3);
    await testServer.sockets.drain();
    expect(testServer.sockets.stats().connections).to.equal(0);
    for (const socket of [player, viewer, silent]) {
      expect(await socket.closed).to.deep.equal({ code: 1012, reason: "SERVER_RESTART" });
    }
    const { status, headers, body } = await getRejection(`/ws/shellrunners/play?sessionId=${row.sessionId}`);
    expect(status).to.equal(503);
    expect(body).to.include({ code: "SHUTTING_DOWN", retryable: true });
    expect(headers["retry-after"]).to.equal("1");
    expect(testServer.sockets.stats()).to.deep.equal({ connections: 0, channels: 0, pending: 0 });
  });
});
