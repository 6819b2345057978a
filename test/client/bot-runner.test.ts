import { expect } from "chai";
import { BotRunner, type PlayBot } from "../../client/bot-runner.ts";
import { createClient } from "../../client/client.ts";
import { ArcadeBotError } from "../../client/errors.ts";
import { playSession } from "../../client/play.ts";
import type { PlayFrame } from "../../games/game.ts";
import { toMessage } from "../../scripts/cli/failures.ts";
import { useTestStack } from "../helpers/suite.ts";

const FLAP = { t: "action", action: "FLAP" } as const;
const createFrame = (tick: number, phase = "running") => ({ tick, phase, slug: "flappybots" }) as PlayFrame;

function catchError(work: () => unknown): ArcadeBotError {
  try {
    work();
  } catch (error) {
    expect(error).to.be.instanceOf(ArcadeBotError);
    return error as ArcadeBotError;
  }
  throw new Error("the bot did not fail");
}

describe("client: a bot", () => {
  const run = (bot: PlayBot, frame = createFrame(7)): object[] => {
    const sent: object[] = [];
    const options = { slug: "flappybots", bot };
    void new BotRunner(options).onFrame(frame, (message) => void sent.push(message));
    return sent;
  };

  it("sends what it returns while the game runs, and nothing for null", () => {
    expect(run(() => FLAP)).to.deep.equal([FLAP]);
    expect(run(() => ({ ...FLAP, seq: 4 }))).to.deep.equal([{ ...FLAP, seq: 4 }]);
    expect(run(() => null)).to.deep.equal([]);
    expect(run(() => FLAP, createFrame(7, "paused"))).to.deep.equal([]);
  });

  it("gets an error with the tick and the game's moves when it throws", () => {
    const error = catchError(() =>
      run(() => {
        throw new TypeError("boom in my bot");
      }),
    );
    expect(error).to.include({ tick: 7, slug: "flappybots", code: "BOT_FAULT" });
    expect(error.allowed).to.deep.equal(['{"t":"action","action":"FLAP"}', '{"t":"action","action":"NOOP"}']);
    expect(error.message).to.include("boom in my bot").and.include("tick 7").and.include(error.allowed[0]);
    expect(toMessage(error)).to.match(/bot-runner\.test\.ts:\d+:\d+/);
  });

  for (const move of [{ action: "JUMP" }, { t: "action", action: "JUMP" }, {}, "FLAP", 1])
    it(`gets an error with the game's moves before ${JSON.stringify(move)} is sent`, () => {
      const sent: object[] = [];
      const runner = new BotRunner({ slug: "flappybots", bot: (() => move) as never });
      const error = catchError(() => runner.onFrame(createFrame(3), (message) => void sent.push(message)));
      expect(error.message).to.include(JSON.stringify(move)).and.include("FLAP").and.include("NOOP");
      expect(sent).to.deep.equal([]);
    });

  it("may return a promise; it gets no frame until it resolves, and then the latest one", async () => {
    const asked: number[] = [];
    const sent: object[] = [];
    const answers: ((move: typeof FLAP | null) => void)[] = [];
    const runner = new BotRunner({
      slug: "flappybots",
      bot: ({ tick }) => {
        asked.push(tick);
        return new Promise((resolve) => answers.push(resolve));
      },
    });
    const send = (message: object): void => void sent.push(message);
    const first = runner.onFrame(createFrame(1), send);
    for (const tick of [2, 3]) expect(runner.onFrame(createFrame(tick), send)).to.equal(undefined);
    answers[0]!(FLAP);
    await first;
    expect(sent).to.deep.equal([FLAP]);
    const second = runner.onFrame(createFrame(4), send);
    answers[1]!(null);
    await second;
    expect(asked).to.deep.equal([1, 4]);
    expect(sent).to.deep.equal([FLAP]);
  });

  describe("in a running session", () => {
    const stack = useTestStack();

    const failures: readonly (readonly [how: string, bot: PlayBot, text: string])[] = [
      [
        "throws",
        () => {
          throw new Error("boom at once");
        },
        "boom at once",
      ],
      ["rejects its promise", async () => Promise.reject(new Error("boom later")), "boom later"],
      ["resolves with an unknown move", (async () => ({ t: "action", action: "JUMP" })) as never, "JUMP"],
    ];
    for (const [how, bot, text] of failures)
      it(`a bot that ${how} ends its session`, async () => {
        const client = createClient({ baseUrl: stack.httpUrl });
        const session = await client.sessions.start({ slug: "flappybots", source: "browser_ws" });
        const error = await playSession({ client, session, bot }).catch((thrown: unknown) => thrown);
        expect(error).to.be.instanceOf(ArcadeBotError);
        expect((error as Error).message).to.include(text);
        const ended = await client.sessions.get({ slug: "flappybots", sessionId: session.sessionId });
        expect(ended.session).to.include({ phase: "ended", endReason: "ended_by_player" });
      });

    it("an asynchronous bot plays", async () => {
      const client = createClient({ baseUrl: stack.httpUrl });
      const session = await client.sessions.start({ slug: "flappybots", source: "browser_ws" });
      let moves = 0;
      const end = await playSession({
        client,
        session,
        bot: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          moves += 1;
          if (moves === 5)
            await client.sessions.end(
              { slug: "flappybots", sessionId: session.sessionId },
              { token: session.practiceToken! },
            );
          return FLAP;
        },
      });
      expect(end.endReason).to.equal("ended_by_player");
      expect(moves).to.be.at.least(5);
    });
  });
});
