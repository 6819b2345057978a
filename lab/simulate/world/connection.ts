/** In-memory connections between agents and simulated processes, which get sockets that Node's HTTP server accepts. */
import { Duplex } from "node:stream";
import { type EventLoop, runAs, type SimulatedProcess } from "./event-loop.ts";

/** The agent's end of a connection. */
export interface ConnectionEnd {
  /** Called with the bytes that the process sends, when it sends them. */
  onBytes(bytes: Buffer): void;
  /** Called once, at the end of the bytes. */
  onEnd(): void;
}

export interface ConnectionOptions {
  readonly loop: EventLoop;
  readonly process: SimulatedProcess;
  /** Node's HTTP server, which does not listen. */
  readonly server: { emit(event: "connection", socket: Duplex): boolean };
  /** The agent's IP address. */
  readonly address: string;
}

/** Not 0, so that a suspended process gets arriving bytes when it resumes. */
const ARRIVAL_MS = 0.001;

class ServerSocket extends Duplex {
  readonly remoteAddress: string;
  readonly #process: SimulatedProcess;
  readonly #end: ConnectionEnd;
  #isEnded = false;

  constructor(process: SimulatedProcess, address: string, end: ConnectionEnd) {
    super();
    this.#process = process;
    this.#end = end;
    this.remoteAddress = address;
  }

  override _read(): void {}

  override _write(bytes: Buffer, _: BufferEncoding, done: () => void): void {
    // A dead process sends nothing.
    if (this.#process.isAlive) runAs(null, () => this.#end.onBytes(bytes));
    done();
  }

  override _final(done: () => void): void {
    this.#reportEnd();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#reportEnd();
    done(error);
  }

  #reportEnd(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#process.isAlive) runAs(null, () => this.#end.onEnd());
  }
}

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #socket: ServerSocket;
  #isClosed = false;

  constructor(options: ConnectionOptions, end: ConnectionEnd) {
    const { process, address, server } = options;
    this.#options = options;
    this.#socket = new ServerSocket(process, address, end);
    this.#deliver(() => server.emit("connection", this.#socket));
  }

  /** Bytes arrive in their order. */
  send(bytes: Buffer): void {
    if (!this.#isClosed) this.#deliver(() => this.#socket.push(bytes));
  }

  /** The agent sends no more. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#deliver(() => this.#socket.push(null));
  }

  /** Frees Node's resources for the socket. Call it when its process is dead. */
  destroy(): void {
    this.#socket.destroy();
  }

  #deliver(work: () => void): void {
    const { loop, process } = this.#options;
    runAs(process, () =>
      loop.schedule(ARRIVAL_MS, () => {
        if (!this.#socket.destroyed) work();
      }),
    );
  }
}
