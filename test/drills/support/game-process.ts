/** Starts the game server of the drills and talks to it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { TestSocket } from "../../runtime/test-socket.ts";
import type { GameOrder, GameStats } from "./game-server.ts";

export interface GameSession {
  readonly sessionId: string;
}

export class GameProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #exited: Promise<null>;
  readonly #sockets = new Set<TestSocket>();
  /** Orders are answered one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

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

  #ask<T>(order: GameOrder): Promise<T> {
    const answer = this.#turn.then(async () => {
      if (!this.isAlive) throw new Error("the game server has crashed");
      const heard = Promise.race([once(this.#child, "message"), this.#exited]);
      this.#child.send(order);
      const message = await heard;
      if (message === null) throw new Error("the game server has crashed");
      return message[0] as T;
    });
    this.#turn = answer.catch(() => {});
    return answer;
  }

  open(): Promise<GameSession> {
    return this.#ask({ order: "open" });
  }

  async end({ sessionId }: GameSession): Promise<void> {
    await this.#ask({ order: "end", sessionId });
  }

  stats(): Promise<GameStats> {
    return this.#ask({ order: "stats" });
  }

  socket(role: "play" | "spectate", { sessionId }: GameSession, query = ""): TestSocket {
    const url = `ws://127.0.0.1:${this.port}/ws/shellrunners/${role}?sessionId=${sessionId}`;
    const socket = new TestSocket(url, { query });
    this.#sockets.add(socket);
    void socket.closed.then(() => this.#sockets.delete(socket));
    return socket;
  }

  async join(role: "play" | "spectate", session: GameSession, query = ""): Promise<TestSocket> {
    const { token } = await this.#ask<{ token: string }>({ order: "token", kind: role, sessionId: session.sessionId });
    const socket = await this.socket(role, session, query).open();
    socket.send({ t: "auth", token });
    await socket.hello();
    return socket;
  }

  async stop(): Promise<void> {
    for (const { ws } of this.#sockets) ws.terminate();
    if (!this.isAlive) return;
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}
