/** The idle side: it answers each request at once with the same text, and does none of the work. */
import { listen, serveSide } from "../server/process.ts";

const TEXT = JSON.stringify({
  ok: true,
  mode: "sign",
  signature: `0x${"11".repeat(65)}`,
  deadline: "1999999999",
  typedData: { message: { metadataDigest: `0x${"22".repeat(32)}` } },
  call: { data: `0x${"11".repeat(65)}` },
});

serveSide(() =>
  listen((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(200, { "Content-Type": "application/json" }).end(TEXT));
  }),
);
