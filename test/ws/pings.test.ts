import { expect } from "chai";
import { Connection } from "../../backend/ws/connection.ts";
import { PingSchedule } from "../../backend/ws/ping-schedule.ts";
import { type LiveTestServer, startLiveTestServer } from "../live/live-suite.ts";

const VIEWERS = 20;

describe("a service without sockets", () => {
  it("has no timer of pings before the first socket and after the last one", () => {
    const timers: (() => void)[] = [];
    const pings = new PingSchedule({
      after: (_, run) => {
        timers.push(run);
        return () => undefined;
      },
    });
    expect(timers).to.have.length(0);
    const remove = pings.add({ ping: () => undefined } as Connection);
    expect(timers).to.have.length(1);
    timers.pop()!();
    expect(timers).to.have.length(1);
    remove();
    timers.pop()!();
    expect(timers).to.have.length(0);
  });
});

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

  it("a viewer whose join takes longer than a ping's period stays connected", async () => {
    const joins: (() => void)[] = [];
    testServer = await startLiveTestServer({
      createPlane: (local) => {
        const join = local.join.bind(local);
        local.join = (...args) => {
          joins.push(() => join(...args));
        };
        return local;
      },
    });
    const row = await testServer.startSession();
    const viewer = await testServer.openSocket("spectate", row).open();
    viewer.send({ t: "auth", token: await testServer.createSpectateToken(row) });
    await testServer.waitUntil(() => joins.length > 0);
    await testServer.advance(20_000);
    joins[0]!();
    await viewer.waitForMessage((message) => message.t === "hello");
    expect(viewer.ws.readyState).to.equal(viewer.ws.OPEN);
  });
});
