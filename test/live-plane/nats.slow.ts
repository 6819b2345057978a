import { type NatsServer, startNats } from "../helpers/nats.ts";
import { describeNatsFailures } from "./nats-failures.ts";
import { startNatsNodes } from "./nats-nodes.ts";
import { describeLivePlane } from "./suite.ts";

describe("on a real nats-server", () => {
  let nats: NatsServer;
  before(async () => {
    nats = await startNats();
  });
  after(() => nats.stop());

  describeLivePlane("over NATS", () => startNatsNodes(nats.url));
  describeNatsFailures(() => nats);
});
