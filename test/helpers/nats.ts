/** NATS for tests. */
import { type NatsServer, startNats } from "../../scripts/fleet/nats-server.ts";

export { type NatsServer, startNats } from "../../scripts/fleet/nats-server.ts";

/** A server that runs while the tests of the suite do. The returned function gives it to them. */
export function useNats(): () => NatsServer {
  let server: NatsServer;
  before(async () => {
    server = await startNats();
  });
  after(() => server?.stop());
  return () => server;
}
