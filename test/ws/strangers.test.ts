import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { CHANNEL_LIMITS } from "../../backend/domain/protocol-rules.ts";
import type { SessionRow } from "../../backend/ports.ts";
import { forwardedAddress, Strangers } from "../../backend/ws/strangers.ts";
import { type LiveSuite, startLiveSuite } from "../runtime/live-suite.ts";

const from = (ip: string) => ({ headers: { "x-test-ip": ip } });

describe("sockets without a token", () => {
  let suite: LiveSuite;
  let row: SessionRow;
  beforeEach(async () => {
    suite = await startLiveSuite({ limitPerIp: true });
    row = await suite.startSession();
  });
  afterEach(() => suite.stop());

  const strangers = () => suite.sockets.stats().strangers;
  const fill = (ip: string) =>
    Promise.all(
      Array.from({ length: CHANNEL_LIMITS.strangersPerIp }, () => suite.socket("spectate", row, from(ip)).open()),
    );

  async function refusal(ip: string): Promise<{ readonly status: number; readonly code: string }> {
    const { ws } = suite.socket("spectate", row, from(ip));
    const [, response] = (await once(ws, "unexpected-response")) as [unknown, IncomingMessage];
    const body = JSON.parse(Buffer.concat(await response.toArray()).toString());
    return { status: response.statusCode!, code: body.code };
  }

  it("are limited for one address, which does not keep others out", async () => {
    const sockets = await fill("10.0.0.1");
    expect(await refusal("10.0.0.1")).to.deep.equal({ status: 429, code: "RATE_LIMITED" });
    await suite.join("spectate", row, from("10.0.0.2"));
    expect(strangers()).to.equal(CHANNEL_LIMITS.strangersPerIp);
    await sockets[0]!.close();
    await suite.until(() => strangers() < CHANNEL_LIMITS.strangersPerIp);
    await suite.socket("spectate", row, from("10.0.0.1")).open();
  });

  it("count no more once they have shown a valid token, or are refused", async () => {
    for (let i = 0; i < 3; i++) {
      const player = await suite.join("play", await suite.startSession(), from("10.0.0.1"));
      expect(player.messages).not.to.have.length(0);
    }
    expect(strangers()).to.equal(0);
    const socket = await suite.socket("spectate", row, from("10.0.0.1")).open();
    expect(strangers()).to.equal(1);
    socket.send("nonsense");
    await socket.closed;
    await suite.until(() => strangers() === 0);
    const unknown = { ...row, sessionId: "00000000-0000-7000-8000-000000000000" };
    await once(suite.socket("play", unknown).ws, "error");
    await suite.until(() => strangers() === 0);
  });

  it("leave their places when no token comes in time", async () => {
    await fill("10.0.0.1");
    await suite.run(CHANNEL_LIMITS.authSeconds * 1000);
    await suite.until(() => strangers() === 0);
  });

  it("are limited in all, and counted down once only", () => {
    const gate = new Strangers(3, null);
    const [first] = [gate.enter("a"), gate.enter("a"), gate.enter("a")];
    expect(gate.enter("b")).to.equal(null);
    first!();
    first!();
    expect(gate.count).to.equal(2);
    expect(gate.enter("b")).to.be.a("function");
    expect(gate.enter("b")).to.equal(null);
  });

  it("come from the peer, or from the last address a trusted proxy names", () => {
    const request = { headers: { "x-forwarded-for": "1.1.1.1, 2.2.2.2" }, socket: { remoteAddress: "3.3.3.3" } };
    expect(forwardedAddress(request as unknown as IncomingMessage, false)).to.equal("3.3.3.3");
    expect(forwardedAddress(request as unknown as IncomingMessage, true)).to.equal("2.2.2.2");
    const bare = { headers: {}, socket: {} } as unknown as IncomingMessage;
    expect(forwardedAddress(bare, true)).to.equal("unknown");
  });
});
