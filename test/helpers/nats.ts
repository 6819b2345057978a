/** NATS for tests. */
export { type NatsServer, startNats } from "../../scripts/fleet/nats-server.ts";
