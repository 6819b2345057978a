/** The idle side: it answers each request at once with the same text, and does none of the work. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serveSide } from "./side.ts";

const TEXT = JSON.stringify({
  ok: true,
  mode: "sign",
  signature: `0x${"11".repeat(65)}`,
  deadline: "1999999999",
  typedData: { message: { metadataDigest: `0x${"22".repeat(32)}` } },
  call: { data: `0x${"11".repeat(65)}` },
});

serveSide(async () => {
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(200, { "Content-Type": "application/json" }).end(TEXT));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
