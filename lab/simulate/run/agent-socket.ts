/** A WebSocket of an agent (RFC 6455) over a connection in memory. */
import type { Hex } from "viem";
import type { ServerMessage } from "../../../domain/protocol/messages.ts";
import type { Connection } from "../world/connection.ts";
import type { SimulatedBackend } from "./backend.ts";

const OPCODES = { text: 1, close: 8, ping: 9, pong: 10 } as const;
const FIN = 0x80;
const MASKED = 0x80;
const OPCODE_BITS = 0x0f;
const LENGTH_BITS = 0x7f;
const SHORT_MAX = 125;
const LENGTH_16 = 126;
/** A mask of zeros leaves the payload as it is. */
const MASK = Buffer.alloc(4);
const NORMAL_CLOSURE = Buffer.from([0x03, 0xe8]);
const HEAD_END = "\r\n\r\n";
/** The base64 text of 16 zeros. */
const KEY = `${"A".repeat(22)}==`;

function encodeFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const header = length <= SHORT_MAX ? [length] : [LENGTH_16, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([FIN | opcode, MASKED | header[0]!, ...header.slice(1)]), MASK, payload]);
}

/** The first frame of the server; null if it is incomplete. */
function readFrame(bytes: Buffer): { readonly opcode: number; readonly payload: Buffer; readonly end: number } | null {
  if (bytes.length < 2) return null;
  const short = bytes[1]! & LENGTH_BITS;
  const start = short < LENGTH_16 ? 2 : 4;
  if (short > LENGTH_16) throw new Error("a message of a simulated run is not this long");
  if (bytes.length < start) return null;
  const end = start + (short < LENGTH_16 ? short : bytes.readUInt16BE(2));
  return bytes.length < end ? null : { opcode: bytes[0]! & OPCODE_BITS, payload: bytes.subarray(start, end), end };
}

export interface AgentSocketOptions {
  readonly backend: SimulatedBackend;
  /** The agent's IP address. */
  readonly address: string;
  /** `/ws/{slug}/{role}?sessionId=…` */
  readonly path: string;
  readonly token: string;
  /** The player's part of the seed; absent for viewers. */
  readonly entropy?: Hex;
  /** Called with each message when it leaves the service. */
  readonly onMessage: (message: ServerMessage) => void;
}

export class AgentSocket {
  /** True once the service has accepted the token. */
  isJoined = false;
  isClosed = false;
  readonly #options: AgentSocketOptions;
  readonly #connection: Connection;
  #received: Buffer = Buffer.alloc(0);
  #isUpgraded = false;

  constructor(options: AgentSocketOptions) {
    const { backend, address, path } = options;
    this.#options = options;
    this.#connection = backend.connect(address, {
      onBytes: (bytes) => this.#onBytes(bytes),
      onEnd: () => this.#onEnd(),
    });
    const head = [
      "Upgrade: websocket",
      "Connection: Upgrade",
      `Sec-WebSocket-Key: ${KEY}`,
      "Sec-WebSocket-Version: 13",
    ];
    this.#connection.send(
      Buffer.from(`GET ${path} HTTP/1.1\r\nHost: arcade.example\r\n${head.join("\r\n")}${HEAD_END}`),
    );
  }

  send(message: object): void {
    this.#sendFrame(OPCODES.text, Buffer.from(JSON.stringify(message)));
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.#isUpgraded) this.#sendFrame(OPCODES.close, NORMAL_CLOSURE);
    else this.#connection.close();
  }

  #sendFrame(opcode: number, payload: Buffer): void {
    this.#connection.send(encodeFrame(opcode, payload));
  }

  #onBytes(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    if (!this.#isUpgraded && !this.#readUpgrade()) return;
    for (let frame = readFrame(this.#received); frame !== null; frame = readFrame(this.#received)) {
      this.#received = this.#received.subarray(frame.end);
      this.#onFrame(frame.opcode, frame.payload);
    }
  }

  /** False while the answer to the upgrade has not arrived, and if it is a rejection. */
  #readUpgrade(): boolean {
    const end = this.#received.indexOf(HEAD_END);
    if (end < 0 || !this.#received.toString("latin1", 0, end).startsWith("HTTP/1.1 101 ")) return false;
    this.#received = this.#received.subarray(end + HEAD_END.length);
    this.#isUpgraded = true;
    const { token, entropy } = this.#options;
    this.send({ t: "auth", token, ...(entropy === undefined ? {} : { entropy }) });
    return true;
  }

  #onFrame(opcode: number, payload: Buffer): void {
    if (opcode === OPCODES.ping) this.#sendFrame(OPCODES.pong, payload);
    if (opcode === OPCODES.close) this.close();
    if (opcode !== OPCODES.text) return;
    const message = JSON.parse(payload.toString("utf8")) as ServerMessage;
    if (message.t === "hello") this.isJoined = true;
    this.#options.onMessage(message);
  }

  #onEnd(): void {
    this.isClosed = true;
    this.#connection.close();
  }
}
