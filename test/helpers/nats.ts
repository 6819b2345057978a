/** NATS for tests. */
import { type NatsServer, startNats } from "../../scripts/fleet/nats-server.ts";

export { type NatsServer, startNats } from "../../scripts/fleet/nats-server.ts";

/** A server that runs during the suite's tests. They get it from the returned function. */
export function useNats(): () => NatsServer {
  let server: NatsServer;
  before(async () => {
    server = await startNats();
  });
  after(() => server?.stop());
  return () => server;
}
