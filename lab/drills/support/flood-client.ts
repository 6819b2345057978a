/**
 * Sends one kind of flood until its parent ends it: `flood-client.ts KIND HTTP_URL SESSION_ID`. Reopens every
 * connection that the service closes.
 */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

const [kind, httpUrl, sessionId] = process.argv.slice(2) as [string, string, string];
const port = Number(new URL(httpUrl).port);
const REOPEN_MS = 10;

interface Flood {
  readonly connections: number;
  /** The local address of a connection: all of 127.0.0.0/8 is loopback. */
  readonly getAddress: (index: number) => string;
  /** The data that a connection sends once, before it repeats others while it is open. */
  readonly first: string;
  readonly repeated?: Buffer;
}

const UPGRADE = [
  `GET /ws/shellrunners/play?sessionId=${sessionId} HTTP/1.1`,
  ...["Host: x", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
  `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
  ...["", ""],
].join("\r\n");
const createRequest = (path: string, headers: readonly string[], body = ""): string =>
  [`POST ${path} HTTP/1.1`, "Host: x", "Content-Type: application/json", ...headers, "", body].join("\r\n");

/** Masked control frames without a payload. */
const repeatFrame = (opcode: number): Buffer =>
  Buffer.concat(Array(10_000).fill(Buffer.from([opcode, 0x80, 0, 0, 0, 0])));
const INVALID_TOKEN = createRequest("/api/rewards/scorebank", [
  `Authorization: Bearer aa_${"A".repeat(43)}`,
  "Content-Length: 0",
]);
const START_BODY = '{"source":"browser_ws"}';

const FLOODS: { readonly [kind: string]: Flood } = {
  pings: { connections: 4, getAddress: () => "127.0.1.1", first: UPGRADE, repeated: repeatFrame(0x89) },
  pongs: { connections: 4, getAddress: () => "127.0.1.2", first: UPGRADE, repeated: repeatFrame(0x8a) },
  "invalid-tokens": {
    connections: 4,
    getAddress: () => "127.0.2.1",
    first: INVALID_TOKEN,
    repeated: Buffer.from(INVALID_TOKEN.repeat(300)),
  },
  silent: { connections: 1000, getAddress: (index) => `127.0.3.${(index % 25) + 1}`, first: UPGRADE },
  "half-sent": {
    connections: 1000,
    getAddress: () => "127.0.4.1",
    first: "POST /api/events/track HTTP/1.1\r\nHost: x\r\n",
  },
  practice: {
    connections: 300,
    getAddress: (index) => `127.0.5.${(index % 30) + 1}`,
    first: createRequest(
      "/api/games/shellrunners/sessions/start",
      [`Content-Length: ${START_BODY.length}`],
      START_BODY,
    ),
  },
};

const flood = FLOODS[kind]!;
/** Frames, requests or connections that were sent; the service may have closed the connection before it read them. */
let operations = 0;
const repeatedOperations = kind === "invalid-tokens" ? 300 : 10_000;
setInterval(() => process.send?.(operations), 250).unref();

function sendWithoutEnd(socket: Socket, bytes: Buffer): void {
  do operations += repeatedOperations;
  while (socket.writable && socket.write(bytes));
}

function open(index: number): void {
  const socket = connect({ host: "127.0.0.1", port, localAddress: flood.getAddress(index) });
  const { repeated } = flood;
  socket.on("error", () => {});
  socket.once("connect", () => {
    operations += 1;
    socket.write(flood.first);
  });
  socket.once("data", () => {
    if (repeated === undefined) return;
    socket.on("drain", () => sendWithoutEnd(socket, repeated));
    sendWithoutEnd(socket, repeated);
  });
  socket.resume();
  socket.once("close", () => setTimeout(() => open(index), flood.connections > 100 ? 1000 : REOPEN_MS));
}

for (let index = 0; index < flood.connections; index += 1) open(index);
process.on("disconnect", () => process.exit(0));
