/** Starts the game server of the drills and sends it commands. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { CONNECTION_LIMITS } from "../../../domain/limits/limits.ts";
import { TestSocket } from "../../../test/live/test-socket.ts";
import type { GameServerCommand, GameStats, LatenessWindow, TokenState } from "./game-server.ts";

export interface GameSession {
  readonly sessionId: string;
}

/** The number of sockets per address, since on a busy machine all may wait for their token at once. */
const SOCKETS_PER_ADDRESS = CONNECTION_LIMITS.waitingPerIp;

/** The address of a connection: all of 127.0.0.0/8 is loopback. */
export const toAddress = (index: number): string =>
  `127.${16 + (Math.floor(index / 62_500) % 200)}.${Math.floor(index / 250) % 250}.${1 + (index % 250)}`;

export class GameProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #exited: Promise<null>;
  readonly #sockets = new Set<TestSocket>();
  #opened = 0;
  /** Commands are answered one at a time. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#exited = once(child, "exit").then(() => null);
    this.port = port;
  }

  static async start(env: { readonly [name: string]: string } = {}): Promise<GameProcess> {
    const script = fileURLToPath(new URL("./game-server.ts", import.meta.url));
    const child = fork(script, [], { execArgv: ["--expose-gc"], env: { ...process.env, ...env } });
    const [{ port }] = (await once(child, "message")) as [{ port: number }];
    return new GameProcess(child, port);
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  #request<T>(command: GameServerCommand): Promise<T> {
    const result = this.#queue.then(async () => {
      if (!this.isAlive) throw new Error("the game server has crashed");
      const response = Promise.race([once(this.#child, "message"), this.#exited]);
      this.#child.send(command);
      const message = await response;
      if (message === null) throw new Error("the game server has crashed");
      return message[0] as T;
    });
    this.#queue = result.catch(() => {});
    return result;
  }

  open(): Promise<GameSession> {
    return this.#request({ order: "open" });
  }

  async end({ sessionId }: GameSession): Promise<void> {
    await this.#request({ order: "end", sessionId });
  }

  stats(): Promise<GameStats> {
    return this.#request({ order: "stats" });
  }

  /** How late ticks were since the last call. */
  lateness(): Promise<LatenessWindow> {
    return this.#request({ order: "lateness" });
  }

  /** An address for the next connection. Drills use many, since they do not test the limits per address. */
  nextAddress(): string {
    this.#opened += 1;
    return toAddress(Math.floor(this.#opened / SOCKETS_PER_ADDRESS));
  }

  async createToken(
    kind: "play" | "spectate",
    { sessionId }: GameSession,
    state: TokenState = "valid",
  ): Promise<string> {
    return (await this.#request<{ token: string }>({ order: "token", kind, sessionId, state })).token;
  }

  /** Advances the limits' clock. */
  async passSeconds(seconds: number): Promise<void> {
    await this.#request({ order: "pass", seconds });
  }

  socket(
    role: "play" | "spectate",
    { sessionId }: GameSession,
    query = "",
    localAddress = this.nextAddress(),
  ): TestSocket {
    const url = `ws://127.0.0.1:${this.port}/ws/shellrunners/${role}?sessionId=${sessionId}`;
    const socket = new TestSocket(url, { query, localAddress });
    this.#sockets.add(socket);
    void socket.closed.then(() => this.#sockets.delete(socket));
    return socket;
  }

  async join(role: "play" | "spectate", session: GameSession, query = ""): Promise<TestSocket> {
    const token = await this.createToken(role, session);
    const socket = await this.socket(role, session, query).open();
    socket.send({ t: "auth", token });
    await socket.waitForHello();
    return socket;
  }

  async stop(): Promise<void> {
    for (const { ws } of this.#sockets) ws.terminate();
    if (!this.isAlive) return;
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}
