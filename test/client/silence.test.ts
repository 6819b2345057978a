import { expect } from "chai";
import { type WebSocket as ServerSocket, WebSocket } from "ws";
import { runChannel } from "../../client/channel.ts";
import { watchSilence } from "../../client/silence.ts";
import { useEach } from "../helpers/fixture.ts";
import { startFakeService } from "./fake-service.ts";

const HELLO = { t: "hello", v: 1, role: "play" };
const END = { t: "end", score: 12 };
const SILENT_CLOSE = { closeCode: 1006, reason: "SILENT" };

const sendMessages = (socket: ServerSocket, ...messages: object[]): void => {
  for (const message of messages) socket.send(JSON.stringify(message));
};

/** The timer of the checks, which the test drives. */
function createChecks() {
  const active = new Set<() => void>();
  const intervalsMs: number[] = [];
  return {
    active,
    intervalsMs,
    every(ms: number, call: () => void): () => void {
      intervalsMs.push(ms);
      active.add(call);
      return () => active.delete(call);
    },
    run(times: number): void {
      for (let i = 0; i < times; i++) for (const call of [...active]) call();
    },
  };
}

describe("client: a socket that is open and silent", () => {
  const service = useEach(startFakeService);

  /** Runs a channel. The n-th action is the service's behavior for the n-th socket after its `auth`. */
  function start(...actions: ((socket: ServerSocket) => void)[]) {
    const checks = createChecks();
    const closes: object[] = [];
    const waiting = new Map<string, () => void>();
    service.onSocket((socket, _, times) => actions[times - 1]!(socket));
    class ObservedSocket extends WebSocket {
      constructor(url: string) {
        super(url);
        this.addEventListener("message", ({ data }) => waiting.get(JSON.parse(String(data)).t)?.());
      }
    }
    let tokens = 0;
    const end = runChannel({
      WebSocket: ObservedSocket as unknown as typeof globalThis.WebSocket,
      every: checks.every,
      sleep: async () => undefined,
      getToken: async () => ({ token: `ap_${++tokens}`, wsUrl: service.wsUrl }),
      onFrame: () => undefined,
      onReconnect: (close) => closes.push(close),
      getEndMessage: () => Promise.reject(new Error("the session has not ended")),
    });
    return {
      checks,
      closes,
      end,
      countTokens: () => tokens,
      /** Resolves when the client has received the next message of this type. */
      receive: (type: string) => new Promise<void>((resolve) => waiting.set(type, resolve)),
    };
  }

  it("the client asks a silent service for a message, and connects again with a new token when none comes", async () => {
    const asked = Promise.withResolvers<string>();
    const channel = start(
      (socket) => {
        socket.once("message", (data) => asked.resolve(String(data)));
        sendMessages(socket, HELLO);
      },
      (socket) => sendMessages(socket, HELLO, END),
    );
    await channel.receive("hello");
    channel.checks.run(2);
    expect(JSON.parse(await asked.promise)).to.deep.equal({ t: "ping" });
    expect(channel.closes).to.deep.equal([]);
    channel.checks.run(1);
    expect(await channel.end).to.deep.equal(END);
    expect(channel.closes).to.deep.equal([SILENT_CLOSE]);
    expect(channel.countTokens()).to.equal(2);
    expect(channel.checks.active.size, "timers that still run").to.equal(0);
  });

  it("the client keeps the socket of a service that sends no frames and answers pings", async () => {
    const first = Promise.withResolvers<ServerSocket>();
    const channel = start((socket) => {
      first.resolve(socket);
      socket.on("message", () => sendMessages(socket, { t: "pong" }));
      sendMessages(socket, HELLO);
    });
    await channel.receive("hello");
    for (let round = 0; round < 3; round++) {
      const pong = channel.receive("pong");
      channel.checks.run(2);
      await pong;
    }
    sendMessages(await first.promise, END);
    await channel.end;
    expect(channel.closes).to.deep.equal([]);
    expect(channel.countTokens()).to.equal(1);
  });

  it("the client tries another socket when the service accepts one and never sends hello", async () => {
    const accepted = Promise.withResolvers<void>();
    const received: string[] = [];
    const channel = start(
      (socket) => {
        socket.on("message", (data) => received.push(String(data)));
        accepted.resolve();
      },
      (socket) => sendMessages(socket, HELLO, END),
    );
    await accepted.promise;
    channel.checks.run(3);
    expect(await channel.end).to.deep.equal(END);
    expect(channel.closes).to.deep.equal([SILENT_CLOSE]);
    expect(received, "messages beside the token before hello").to.deep.equal([]);
  });

  it("a timeout of Infinity turns the checks off, and a very long one is cut to a timer's maximum", () => {
    const checks = createChecks();
    const watch = (silenceTimeoutMs: number) =>
      watchSilence({ silenceTimeoutMs, every: checks.every, ask: () => undefined, onSilent: () => undefined });
    watch(Number.POSITIVE_INFINITY).stop();
    expect(checks.intervalsMs).to.deep.equal([]);
    watch(1e12).stop();
    expect(checks.intervalsMs).to.deep.equal([2 ** 31 - 1]);
  });

  it("a timeout that is not above zero is rejected before a socket is opened", async () => {
    let sockets = 0;
    class CountedSocket extends WebSocket {
      constructor(url: string) {
        super(url);
        sockets += 1;
      }
    }
    for (const silenceTimeoutMs of [0, -1, Number.NaN]) {
      const end = runChannel({
        WebSocket: CountedSocket as unknown as typeof globalThis.WebSocket,
        silenceTimeoutMs,
        getToken: async () => ({ token: "ap_1", wsUrl: service.wsUrl }),
        onFrame: () => undefined,
        getEndMessage: () => Promise.reject(new Error("the session has not ended")),
      });
      const failure = await end.catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(RangeError);
    }
    expect(sockets).to.equal(0);
  });

  it("the client replaces a silent socket after 15 s at the latest unless told otherwise", async () => {
    const channel = start((socket) => sendMessages(socket, HELLO, END));
    await channel.end;
    expect(channel.checks.intervalsMs).to.deep.equal([5_000]);
  });
});
