/** The idle side: it answers each request at once with an empty document, and does none of the work. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveSide } from "./side.ts";

serveSide(async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader("Content-Length", 2);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
});
