/** Responds to bytes that are not an HTTP request with a problem document, like every other failure. */
import { randomUUID } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ArcadeError } from "../../../domain/errors.ts";
import { createProblem, formatRawProblem } from "../../../domain/problem.ts";

const MESSAGES: { readonly [code: string]: string } = {
  HPE_HEADER_OVERFLOW: "The request's headers are too large; expected 16 KiB at most, the path included.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time; send it again as a whole.",
};
const NOT_HTTP_MESSAGE = "Expected a request in HTTP/1.1; percent-encode bytes above 0x7f in the path (RFC 3986).";
/** How a connection begins if a balancer sends the PROXY protocol, version 1 or 2. */
const PROXY_PROTOCOL = /^(?:PROXY |\r\n\r\n\0\r\nQUIT\n)/;
const PROXY_PROTOCOL_MESSAGE =
  "Expected a request in HTTP/1.1, received the PROXY protocol; turn it off in the balancer, and let it write X-Forwarded-For (ARCADE_TRUST_PROXY).";

interface ParseError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

function rejectInvalidRequest(error: ParseError, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const isProxyProtocol = PROXY_PROTOCOL.test(error.rawPacket?.toString("latin1", 0, 16) ?? "");
  const message = isProxyProtocol ? PROXY_PROTOCOL_MESSAGE : (MESSAGES[error.code ?? ""] ?? NOT_HTTP_MESSAGE);
  const problem = createProblem(new ArcadeError("BAD_REQUEST", message), randomUUID());
  // The parser has lost its position: later requests on this connection cannot be read.
  socket.end(formatRawProblem(problem, STATUS_CODES[problem.status]!), () => socket.destroy());
}

/** Rejects invalid requests with `BAD_REQUEST`, and ignores unknown expectations (RFC 9110 §10.1.1). */
export function handleInvalidRequests(server: Server): void {
  server.on("clientError", rejectInvalidRequest);
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    server.emit("request", request, response);
  });
}
