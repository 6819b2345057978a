import { expect } from "chai";
import { Connection } from "../../backend/ws/connection.ts";
import { type LiveTestServer, startLiveTestServer } from "../live/live-suite.ts";

const VIEWERS = 20;

describe("pings", () => {
  let testServer: LiveTestServer;
  const { ping } = Connection.prototype;
  afterEach(async () => {
    Connection.prototype.ping = ping;
    await testServer.stop();
  });

  it("every socket gets a ping once in ten seconds, and few of them at the same time", async () => {
    testServer = await startLiveTestServer({ spectatorsMax: VIEWERS });
    const row = await testServer.startSession();
    await testServer.join("play", row);
    for (let i = 0; i < VIEWERS; i++) await testServer.join("spectate", row);
    const sentAtMs = new Map<Connection, number[]>();
    Connection.prototype.ping = function (this: Connection): void {
      sentAtMs.set(this, [...(sentAtMs.get(this) ?? []), testServer.clock.monotonicMs()]);
      ping.call(this);
    };
    await testServer.advance(10_000);
    const times = [...sentAtMs.values()];
    expect(times.map((list) => list.length)).to.deep.equal(Array.from({ length: VIEWERS + 1 }, () => 1));
    expect(new Set(times.flat()).size, "moments").to.equal(VIEWERS + 1);
  });
});
