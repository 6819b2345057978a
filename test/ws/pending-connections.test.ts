import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { toIpKey } from "../../backend/rate-limits/address-keys.ts";
import { SharedPlaces } from "../../backend/rate-limits/shared-places.ts";
import { getClientAddress } from "../../backend/requests/client-address.ts";
import { CHANNEL_LIMITS } from "../../domain/limits/limits.ts";
import { useEach } from "../helpers/fixture.ts";
import { startLiveTestServer } from "../live/live-suite.ts";

const withAddress = (ip: string) => ({ headers: { "x-test-ip": ip } });

describe("sockets without a token", () => {
  let row: SessionRow;
  const testServer = useEach(() => startLiveTestServer({ limitPerIp: true }));
  beforeEach(async () => {
    row = await testServer.startSession();
  });

  const getPendingCount = () => testServer.sockets.stats().pending;
  const openAllowedSockets = (ip: string) =>
    Promise.all(
      Array.from({ length: CHANNEL_LIMITS.pendingConnectionsPerIp }, () =>
        testServer.openSocket("spectate", row, withAddress(ip)).open(),
      ),
    );

  async function getRejection(ip: string) {
    const { ws } = testServer.openSocket("spectate", row, withAddress(ip));
    const [, response] = (await once(ws, "unexpected-response")) as [unknown, IncomingMessage];
    const body = JSON.parse(Buffer.concat(await response.toArray()).toString());
    return { status: response.statusCode!, code: body.code, retryAfter: response.headers["retry-after"] };
  }

  it("are limited for one address with a 429 that carries Retry-After, and other addresses are not affected", async () => {
    const sockets = await openAllowedSockets("10.0.0.1");
    expect(await getRejection("10.0.0.1")).to.deep.equal({ status: 429, code: "RATE_LIMITED", retryAfter: "1" });
    await testServer.join("spectate", row, withAddress("10.0.0.2"));
    expect(getPendingCount()).to.equal(CHANNEL_LIMITS.pendingConnectionsPerIp);
    await sockets[0]!.close();
    await testServer.waitUntil(() => getPendingCount() < CHANNEL_LIMITS.pendingConnectionsPerIp);
    await testServer.openSocket("spectate", row, withAddress("10.0.0.1")).open();
  });

  it("a socket is no longer pending after a valid token or a rejection", async () => {
    for (let i = 0; i < 3; i++) {
      const player = await testServer.join("play", await testServer.startSession(), withAddress("10.0.0.1"));
      expect(player.messages).not.to.have.length(0);
    }
    expect(getPendingCount()).to.equal(0);
    const socket = await testServer.openSocket("spectate", row, withAddress("10.0.0.1")).open();
    expect(getPendingCount()).to.equal(1);
    socket.send("nonsense");
    await socket.closed;
    await testServer.waitUntil(() => getPendingCount() === 0);
    const unknown = { ...row, sessionId: "00000000-0000-7000-8000-000000000000" };
    await once(testServer.openSocket("play", unknown).ws, "error");
    await testServer.waitUntil(() => getPendingCount() === 0);
  });

  it("a socket is no longer pending when no token arrives in time", async () => {
    await openAllowedSockets("10.0.0.1");
    await testServer.advance(CHANNEL_LIMITS.authSeconds * 1000);
    await testServer.waitUntil(() => getPendingCount() === 0);
  });

  it("a pending socket is counted until it is released, and released only once", () => {
    const pendingConnections = new SharedPlaces(3, null);
    const [first] = ["a", "a", "b"].map((ip) => pendingConnections.acquire(ip, () => {})!);
    first!.release();
    first!.release();
    expect(pendingConnections.count).to.equal(2);
  });

  it("when all places are taken the oldest socket of the fullest network gives way, and never the newest", () => {
    const pendingConnections = new SharedPlaces(5, null);
    const evicted: string[] = [];
    const acquire = (ip: string, name: string) => pendingConnections.acquire(ip, () => evicted.push(name));
    acquire("10.0.1.1", "player");
    for (const number of [1, 2, 3, 4]) acquire(`10.0.2.${number}`, `flood ${number}`);
    acquire("10.0.3.1", "newcomer");
    expect(evicted).to.deep.equal(["flood 1"]);
    acquire("10.0.2.9", "flood 9");
    expect(evicted).to.deep.equal(["flood 1", "flood 2"]);
    expect(pendingConnections.count).to.equal(5);
  });

  it("addresses of one IPv6 /48 give way to each other", () => {
    const pendingConnections = new SharedPlaces(3, null);
    const evicted: string[] = [];
    pendingConnections.acquire(toIpKey("192.0.2.1"), () => evicted.push("player"));
    for (const subnet of ["1", "2", "3"])
      pendingConnections.acquire(toIpKey(`2001:db8:0:${subnet}::1`), () => evicted.push(subnet));
    expect(evicted).to.deep.equal(["1"]);
  });

  it("the oldest silent socket is closed with 4008 when a player arrives and all places are taken", async () => {
    const { pendingConnections } = CHANNEL_LIMITS;
    const silent = [];
    for (let i = 0; i < pendingConnections; i += 1)
      silent.push(testServer.openSocket("spectate", row, withAddress(`10.0.${i % 10}.${Math.floor(i / 10)}`)));
    await Promise.all(silent.map((socket) => socket.open()));
    expect(getPendingCount()).to.equal(pendingConnections);
    const player = await testServer.join("play", row, withAddress("10.9.9.9"));
    expect(player.ws.readyState).to.equal(player.ws.OPEN);
    expect(await silent[0]!.closed).to.deep.equal({ code: 4008, reason: "RATE_LIMITED" });
  });

  it("the client's address is the peer's, or the last one that a trusted proxy adds", () => {
    const request = { headers: { "x-forwarded-for": "1.1.1.1, 2.2.2.2" }, socket: { remoteAddress: "3.3.3.3" } };
    expect(getClientAddress(request as unknown as IncomingMessage, false)).to.equal("3.3.3.3");
    expect(getClientAddress(request as unknown as IncomingMessage, true)).to.equal("2.2.2.2");
    const requestWithoutAddress = { headers: {}, socket: {} } as unknown as IncomingMessage;
    expect(getClientAddress(requestWithoutAddress, true)).to.equal("unknown");
  });
});
