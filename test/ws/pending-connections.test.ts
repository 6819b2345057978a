import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import type { SessionRow } from "../../backend/ports/store/sessions.ts";
import { getClientAddress } from "../../backend/requests/client-address.ts";
import { CHANNEL_LIMITS, CONNECTION_LIMITS } from "../../domain/limits/limits.ts";
import { useEach } from "../helpers/fixture.ts";
import { startLiveTestServer } from "../live/live-suite.ts";

/** More than an address may have without a token. */
const IN_ALL = CONNECTION_LIMITS.waitingPerIp + 4;

const withAddress = (ip: string) => ({ headers: { "x-test-ip": ip } });

describe("sockets without a token", () => {
  let row: SessionRow;
  const testServer = useEach(() => startLiveTestServer({ limitPerIp: true, inAll: IN_ALL }));
  beforeEach(async () => {
    row = await testServer.startSession();
  });

  const getPendingCount = () => testServer.sockets.stats().pending;
  const openAllowedSockets = (ip: string) =>
    Promise.all(
      Array.from({ length: CONNECTION_LIMITS.waitingPerIp }, () =>
        testServer.openSocket("spectate", row, withAddress(ip)).open(),
      ),
    );

  it("of one address give way to its newer ones, without affecting other addresses", async () => {
    const sockets = await openAllowedSockets("10.0.0.1");
    const other = await testServer.openSocket("spectate", row, withAddress("10.0.0.2")).open();
    await testServer.openSocket("spectate", row, withAddress("10.0.0.1")).open();
    expect(await sockets[0]!.closed).to.deep.equal({ code: 4008, reason: "RATE_LIMITED" });
    expect(sockets[0]!.messages.at(-1))
      .to.have.property("error")
      .that.includes("a newer connection has taken this one");
    await testServer.waitUntil(() => getPendingCount() === CONNECTION_LIMITS.waitingPerIp + 1);
    expect(other.ws.readyState).to.equal(other.ws.OPEN);
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
    expect(getPendingCount()).to.be.greaterThan(0);
    await testServer.advance(CHANNEL_LIMITS.authSeconds * 1000);
    await testServer.waitUntil(() => getPendingCount() === 0);
  });

  it("one of the fullest network is closed with 4008 when all places are taken, never a ranked player's", async () => {
    const ranked = await testServer.startSession({ source: "agent_api", agentId: "1" });
    const player = await testServer.join("play", ranked, withAddress("10.0.1.1"));
    const silent = [];
    for (let i = 1; i < IN_ALL; i += 1)
      silent.push(await testServer.openSocket("spectate", row, withAddress(`10.0.1.${i + 1}`)).open());
    const viewer = await testServer.join("spectate", row, withAddress("10.9.9.9"));
    expect(await silent[0]!.closed).to.deep.equal({ code: 4008, reason: "RATE_LIMITED" });
    expect([player, viewer].map(({ ws }) => ws.readyState)).to.deep.equal([player.ws.OPEN, player.ws.OPEN]);
  });

  it("a rejected upgrade request releases its place", async () => {
    const unknown = { ...row, sessionId: "00000000-0000-7000-8000-000000000000" };
    for (let i = 0; i < IN_ALL + 1; i += 1) {
      const [error] = await once(testServer.openSocket("play", unknown).ws, "error");
      expect(error).to.include({ message: "Unexpected server response: 404" });
    }
    await testServer.waitUntil(() => testServer.gate.stats().places === 0);
  });

  it("the client's address is the peer's, or the last one that a trusted proxy adds", () => {
    const request = { headers: { "x-forwarded-for": "1.1.1.1, 2.2.2.2" }, socket: { remoteAddress: "3.3.3.3" } };
    expect(getClientAddress(request as unknown as IncomingMessage, 0)).to.equal("3.3.3.3");
    expect(getClientAddress(request as unknown as IncomingMessage, 1)).to.equal("2.2.2.2");
    const requestWithoutAddress = { headers: {}, socket: {} } as unknown as IncomingMessage;
    expect(getClientAddress(requestWithoutAddress, 1)).to.equal("unknown");
  });
});
