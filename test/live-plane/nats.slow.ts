import { expect } from "chai";
import { Bus } from "../../backend/adapters/live-plane/bus.ts";
import { systemClock } from "../../backend/adapters/system/clock.ts";
import { useNats } from "../helpers/nats.ts";
import { describeNatsFailures } from "./nats-failures.ts";
import { startNatsNodes } from "./nats-nodes.ts";
import { describeLivePlane } from "./suite.ts";

describe("on a real nats-server", () => {
  const getNats = useNats();
  describeLivePlane("over NATS", () => startNatsNodes(getNats().url));
  describeNatsFailures(getNats);

  it("a closed connection is not reported as lost, and ends pending requests", async () => {
    const warnings: string[] = [];
    const log = { debug() {}, info() {}, warn: (_: object, text: string) => warnings.push(text), error() {} };
    const bus = await Bus.connect([getNats().url], { clock: systemClock, log });
    bus.subscribe("arcade.test", () => undefined);
    const answer = bus.ask("arcade.test", "", 60_000);
    await bus.close();
    expect(await answer).to.deep.equal({ kind: "disconnected" });
    expect(warnings).to.deep.equal([]);
  });
});
