import { expect } from "chai";
import type { StartedSession } from "../../client/api.ts";
import { ArcadeBotError, ArcadeChannelError } from "../../client/errors.ts";
import { type PlayFrame, playSession } from "../../client/play.ts";
import {
  AT,
  END,
  type FakeChannel,
  frame,
  HELLO,
  sendMessages,
  sessionId,
  slug,
  startFakeChannel,
} from "./fake-channel.ts";
import { createProblem, createServiceClient, fakeWallet } from "./fake-service.ts";

describe("client: play", () => {
  let service: FakeChannel["service"];
  let tokens: FakeChannel["tokens"];
  let scheduleSocketActions: FakeChannel["scheduleSocketActions"];
  beforeEach(async () => {
    ({ service, tokens, scheduleSocketActions } = await startFakeChannel());
  });
  afterEach(() => service.close());

  function start(more: Partial<Parameters<typeof playSession>[0]> = {}) {
    const { client, delaysMs } = createServiceClient(service, {
      wallet: fakeWallet,
      retry: { random: () => 0.5 },
    });
    const session = { session: { slug }, sessionId, playToken: "ap_first", wsUrl: service.wsUrl, heartbeatSeconds: 15 };
    const end = playSession({ client, session: session as unknown as StartedSession, bot: () => null, ...more });
    return { end, waits: delaysMs, client };
  }

  it("the client plays with the token of the start and resolves with the end message", async () => {
    scheduleSocketActions((socket) => sendMessages(socket, HELLO, frame(1), END));
    expect(await start().end).to.deep.equal(END);
    expect(tokens).to.deep.equal(["ap_first"]);
  });

  it("the client sends the bot's inputs only while the game runs", async () => {
    const received: unknown[] = [];
    service.onSocket((socket) => {
      socket.on("message", (data) => {
        received.push(JSON.parse(String(data)));
        sendMessages(socket, END);
      });
      sendMessages(socket, HELLO, frame(1, "ready"), frame(2, "paused"), frame(3));
    });
    const seen: number[] = [];
    const bot = (now: PlayFrame) => ({ t: "input", dir: now.tick === 3 ? "left" : "right" }) as const;
    await start({ bot, onFrame: ({ tick }) => seen.push(tick) }).end;
    expect(received).to.deep.equal([{ t: "input", dir: "left", seq: 1 }]);
    expect(seen).to.deep.equal([1, 2, 3]);
  });

  for (const [code, reason] of [
    [4002, "TOKEN_NOT_FOUND"],
    [4003, "TOKEN_REPLAYED"],
  ] as const) {
    it(`the client reconnects with a new token after ${code}`, async () => {
      scheduleSocketActions(
        (socket) => socket.close(code, reason),
        (socket) => sendMessages(socket, HELLO, END),
      );
      expect((await start().end).score).to.equal(12);
      expect(tokens).to.deep.equal(["ap_first", "ap_1"]);
    });
  }

  it("the client stops requesting tokens when several in a row are rejected", async () => {
    scheduleSocketActions((socket) => socket.close(4002, "INVALID_TOKEN"));
    const error = await start().end.catch((error: unknown) => error);
    expect(error).to.be.instanceOf(ArcadeChannelError);
    expect((error as ArcadeChannelError).closeCode).to.equal(4002);
    expect(tokens).to.have.lengthOf(5);
  });

  it("the client reconnects after a jittered second when the server restarts", async () => {
    scheduleSocketActions(
      (socket) => {
        sendMessages(socket, HELLO);
        socket.close(1012, "SERVER_RESTART");
      },
      (socket) => sendMessages(socket, HELLO, END),
    );
    const { end, waits: delaysMs } = start();
    await end;
    expect(delaysMs).to.deep.equal([1000]);
    expect(tokens).to.deep.equal(["ap_first", "ap_1"]);
  });

  it("the client reconnects when the network breaks, even while tokens cannot be obtained", async () => {
    const token = service.script[`POST ${AT}/play-token`]!;
    service.script[`POST ${AT}/play-token`] = (received, times) => (times < 3 ? { cut: true } : token(received, times));
    const seen: number[] = [];
    scheduleSocketActions(
      (socket) => {
        sendMessages(socket, HELLO, frame(1));
        setImmediate(() => socket.terminate());
      },
      (socket) => sendMessages(socket, HELLO, frame(50), END),
    );
    const reconnects: number[] = [];
    await start({ onFrame: ({ tick }) => seen.push(tick), onReconnect: ({ closeCode }) => reconnects.push(closeCode) })
      .end;
    expect(seen.at(-1)).to.equal(50);
    expect(reconnects).to.deep.equal([1006]);
    expect(tokens).to.deep.equal(["ap_first", "ap_3"]);
  });

  it("the client waits for Retry-After before it requests a token again", async () => {
    const token = service.script[`POST ${AT}/play-token`]!;
    const busy = () => createProblem(503, "STORAGE_BUSY", {}, { "retry-after": "70" });
    service.script[`POST ${AT}/play-token`] = (received, times) => (times < 2 ? busy() : token(received, times));
    scheduleSocketActions(
      (socket) => socket.close(4003, "TOKEN_EXPIRED"),
      (socket) => sendMessages(socket, HELLO, END),
    );
    const { end, waits } = start();
    await end;
    expect(Math.max(...waits)).to.be.at.least(70_000);
    expect(tokens).to.deep.equal(["ap_first", "ap_2"]);
  });

  it("the client gives up if Retry-After exceeds the time for which it retries a channel", async () => {
    const token = service.script[`POST ${AT}/play-token`]!;
    const busy = () => createProblem(503, "STORAGE_BUSY", {}, { "retry-after": "86400" });
    service.script[`POST ${AT}/play-token`] = (received, times) => (times < 2 ? busy() : token(received, times));
    scheduleSocketActions(
      (socket) => socket.close(4003, "TOKEN_EXPIRED"),
      (socket) => sendMessages(socket, HELLO, END),
    );
    const { end, waits } = start();
    const error = await end.catch((error: unknown) => error);
    expect(error).to.include({ code: "STORAGE_BUSY", retryAfterSeconds: 86_400 });
    expect(Math.max(...waits)).to.be.below(90_000);
  });

  for (const heartbeatSeconds of [0, -1, 1e10, null])
    it(`the client chooses its heartbeat interval when the service requests ${heartbeatSeconds} s`, async () => {
      const periodsMs: unknown[] = [];
      const { setInterval } = globalThis;
      globalThis.setInterval = ((call: () => void, ms: number) => {
        periodsMs.push(ms);
        return setInterval(call, ms);
      }) as typeof setInterval;
      try {
        const session = { session: { slug }, sessionId, playToken: "ap_first", wsUrl: service.wsUrl, heartbeatSeconds };
        scheduleSocketActions((socket) => sendMessages(socket, HELLO, END));
        await start({ session: session as unknown as StartedSession }).end;
      } finally {
        globalThis.setInterval = setInterval;
      }
      expect(periodsMs).to.include(15_000);
    });

  it("the client does not reconnect after another connection has replaced it", async () => {
    scheduleSocketActions((socket) => {
      sendMessages(socket, HELLO);
      socket.close(4009, "DISPLACED");
    });
    const error = await start().end.catch((error: unknown) => error);
    expect(error).to.be.instanceOf(ArcadeChannelError);
    expect(error).to.include({ closeCode: 4009, reason: "DISPLACED" });
    expect(tokens).to.have.lengthOf(1);
  });

  it("the client resolves with the record when the session ended without it", async () => {
    scheduleSocketActions((socket) => socket.close(4004, "SESSION_ENDED"));
    const next = { method: "POST", path: "/api/rewards/snapshot", body: { sessionId } };
    const end = await start().end;
    expect(end).to.deep.include({ score: 7, endReason: "heartbeat_timeout", next });
    expect(tokens).to.have.lengthOf(1);
  });

  it("the client resolves with the record when tokens are no longer issued", async () => {
    service.script[`POST ${AT}/play-token`] = () => createProblem(409, "SESSION_ENDED", { retryable: false });
    scheduleSocketActions((socket) => socket.terminate());
    expect((await start().end).score).to.equal(7);
  });

  it("the client gives up after a long time without a working socket", async () => {
    scheduleSocketActions((socket) => socket.terminate());
    const error = await start({ reconnectTimeoutMs: -1 }).end.catch((error: unknown) => error);
    expect(error).to.be.instanceOf(ArcadeChannelError);
  });

  it("the client throws a bot's exception and closes the socket", async () => {
    let closed: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    service.onSocket((socket) => {
      socket.on("close", () => closed!());
      sendMessages(socket, HELLO, frame(1));
    });
    const thrown = new Error("the bot stumbled");
    const error = await start({
      bot: () => {
        throw thrown;
      },
    }).end.catch((error: unknown) => error);
    expect(error).to.be.instanceOf(ArcadeBotError);
    expect((error as ArcadeBotError).cause).to.equal(thrown);
    await gone;
  });

  it("the client sends heartbeats while it plays", async () => {
    const session = {
      session: { slug },
      sessionId,
      playToken: "ap_first",
      wsUrl: service.wsUrl,
      heartbeatSeconds: 0.01,
    };
    service.script[`POST ${AT}/heartbeat`] = () => {
      finish?.();
      return { body: { phase: "running", expiresInSeconds: 60 } };
    };
    let finish: (() => void) | undefined;
    scheduleSocketActions((socket) => {
      sendMessages(socket, HELLO);
      finish = () => sendMessages(socket, END);
    });
    await start({ session: session as unknown as StartedSession }).end;
    expect(service.countRequests(`POST ${AT}/heartbeat`)).to.be.at.least(1);
  });

  describe("a session whose heartbeats report that it has ended, and whose socket does not", () => {
    const session = {
      session: { slug },
      sessionId,
      playToken: "ap_first",
      wsUrl: "",
      heartbeatSeconds: 0.01,
    } as unknown as StartedSession;
    let isJoined: boolean;
    beforeEach(() => {
      isJoined = false;
      service.script[`POST ${AT}/heartbeat`] = () =>
        isJoined
          ? createProblem(409, "SESSION_ENDED", { retryable: false })
          : { body: { phase: "running", expiresInSeconds: 60 } };
    });
    const startSession = () => start({ session: { ...session, wsUrl: service.wsUrl } }).end;

    it("is over for the client once its record shows it", async () => {
      scheduleSocketActions((socket) => {
        sendMessages(socket, HELLO, frame(1));
        isJoined = true;
      });
      expect(await startSession()).to.deep.include({ score: 7, endReason: "heartbeat_timeout" });
      expect(tokens).to.have.lengthOf(1);
    });

    it("continues for the client while the end is not stored", async () => {
      let sayEnd: () => void = () => undefined;
      let reads = 0;
      service.script[`GET ${AT}`] = () => {
        reads += 1;
        if (reads === 2) sayEnd();
        return { body: { session: { sessionId, score: 0, endReason: null } } };
      };
      scheduleSocketActions((socket) => {
        sendMessages(socket, HELLO, frame(1));
        sayEnd = () => sendMessages(socket, END);
        isJoined = true;
      });
      expect(await startSession()).to.deep.equal(END);
      expect(tokens).to.have.lengthOf(1);
    });
  });

  it("the client leaves when its signal is aborted", async () => {
    const stop = new AbortController();
    scheduleSocketActions((socket) => sendMessages(socket, HELLO, frame(1)));
    const reason = new Error("enough");
    const error = await start({ signal: stop.signal, onFrame: () => stop.abort(reason) }).end.catch(
      (error: unknown) => error,
    );
    expect(error).to.equal(reason);
  });
});
