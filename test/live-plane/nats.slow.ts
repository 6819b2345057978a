import { useNats } from "../helpers/nats.ts";
import { describeNatsFailures } from "./nats-failures.ts";
import { startNatsNodes } from "./nats-nodes.ts";
import { describeLivePlane } from "./suite.ts";

describe("on a real nats-server", () => {
  const getNats = useNats();
  describeLivePlane("over NATS", () => startNatsNodes(getNats().url));
  describeNatsFailures(getNats);
});
