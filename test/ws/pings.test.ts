import { expect } from "chai";
import { Connection } from "../../backend/ws/connection.ts";
import { type LiveSuite, startLiveSuite } from "../runtime/live-suite.ts";

const VIEWERS = 20;

describe("pings", () => {
  let suite: LiveSuite;
  const { ping } = Connection.prototype;
  afterEach(async () => {
    Connection.prototype.ping = ping;
    await suite.stop();
  });

  it("reach every socket once in ten seconds, and few of them at any moment", async () => {
    suite = await startLiveSuite({ spectatorsMax: VIEWERS });
    const row = await suite.startSession();
    await suite.join("play", row);
    for (let i = 0; i < VIEWERS; i++) await suite.join("spectate", row);
    const sentAtMs = new Map<Connection, number[]>();
    Connection.prototype.ping = function (this: Connection): void {
      sentAtMs.set(this, [...(sentAtMs.get(this) ?? []), suite.clock.monotonicMs()]);
      ping.call(this);
    };
    await suite.run(10_000);
    const times = [...sentAtMs.values()];
    expect(times.map((list) => list.length)).to.deep.equal(Array.from({ length: VIEWERS + 1 }, () => 1));
    expect(new Set(times.flat()).size, "moments").to.equal(VIEWERS + 1);
  });
});
