/** What never becomes a request: bytes that are no HTTP. They get the same typed failure as everything else. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ArcadeError } from "../domain/errors.ts";
import { problemOf } from "./answer.ts";

const SENTENCES: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: "The request's headers are too large; expected 16 KiB at most, the path included.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time; send it again as a whole.",
};
const NO_HTTP = "Expected a request in HTTP/1.1; bytes above 0x7f belong percent-encoded into a path (RFC 3986).";

function answerBroken(fault: NodeJS.ErrnoException, socket: Duplex): void {
  if (fault.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const problem = problemOf(new ArcadeError("BAD_REQUEST", SENTENCES[fault.code ?? ""] ?? NO_HTTP), requestId);
  const body = JSON.stringify(problem);
  const head = [
    "HTTP/1.1 400 Bad Request",
    "Content-Type: application/problem+json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "Access-Control-Allow-Origin: *",
    "Cache-Control: no-store",
    "Connection: close",
  ];
  // Nothing that follows on this connection can be told apart from what was broken.
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** Answers broken bytes with `BAD_REQUEST`, and takes no notice of expectations it does not know (RFC 9110, 10.1.1). */
export function answerBrokenRequests(server: Server): void {
  server.on("clientError", answerBroken);
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    server.emit("request", request, response);
  });
}
