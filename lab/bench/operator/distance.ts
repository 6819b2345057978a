/** Simulates a distant node: `node distance.ts PORT MS` forwards bytes to a port, delayed by half of the round trip. */
import { connect, createServer, type Socket } from "node:net";
import { pathToFileURL } from "node:url";

function passLate(from: Socket, to: Socket, delayMs: number): void {
  from.on("data", (chunk) => setTimeout(() => to.write(chunk), delayMs));
  from.on("close", () => setTimeout(() => to.destroy(), delayMs));
  from.on("error", () => to.destroy());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [port, roundTripMs] = process.argv.slice(2).map(Number);
  const server = createServer({ noDelay: true }, (client) => {
    const node = connect({ port: port!, host: "127.0.0.1", noDelay: true });
    passLate(client, node, roundTripMs! / 2);
    passLate(node, client, roundTripMs! / 2);
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as { port: number }).port));
}
