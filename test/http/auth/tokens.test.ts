import { expect } from "chai";
import { WebSocket } from "ws";
import { useTestStack } from "../../helpers/suite.ts";
import { ShiftClock } from "../support/shift-clock.ts";
import { attemptSignIn, createTestAccount, TOKEN_ROUTES } from "../support/sign-in.ts";
import { createRouteTester } from "../support/watch-routes.ts";

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}
const params = { slug: "shellrunners" };
const account = createTestAccount(11);
const other = createTestAccount(12);

/** Opens a channel with its token; `closed` resolves with the code and reason of its close. */
async function openChannel(url: string, token: string) {
  const socket = new WebSocket(url);
  const closed = new Promise<string>((resolve) =>
    socket.once("close", (code, reason) => resolve(`${code} ${reason.toString()}`)),
  );
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  socket.send(JSON.stringify({ t: "auth", token }));
  const first = await new Promise<string>((resolve) => socket.once("message", (data) => resolve(String(data))));
  expect(JSON.parse(first).t).to.equal("hello");
  return { socket, closed };
}

describe("the tokens of a sign-in", () => {
  const clock = new ShiftClock();
  const api = createRouteTester(() => stack);
  const stack = useTestStack({ clock });
  api.checkCodesAfterAll(TOKEN_ROUTES);

  const signIn = async (wallet = account): Promise<Tokens> =>
    (await attemptSignIn(stack, { account: wallet })).response.body as Tokens;
  const refresh = (refreshToken: string) => api.call("auth.refresh", { params, body: { refreshToken } });
  const session = (token: string) => api.call("auth.session", { params, token });

  describe("refreshing", () => {
    it("a refresh rotates both tokens, and the earlier access token stays valid", async () => {
      const first = await signIn();
      const { body: second } = await refresh(first.refreshToken);
      expect(second.accessToken).to.not.equal(first.accessToken);
      expect(second.refreshToken).to.not.equal(first.refreshToken);
      for (const { accessToken } of [first, second]) expect((await session(accessToken)).status).to.equal(200);
      expect(second).to.include({ walletAddress: account.address });
    });

    it("a second refresh with the same token gets the same successor for ten seconds", async () => {
      const first = await signIn();
      const second = (await refresh(first.refreshToken)).body;
      const again = await clock.runWithWallShift(9000, () => refresh(first.refreshToken));
      expect(again.body).to.deep.include(second);
      expect((await session(second.accessToken)).status).to.equal(200);
      expect((await refresh(second.refreshToken)).status).to.equal(200);
    });

    it("a later reuse of a refresh token revokes the whole family", async () => {
      const first = await signIn();
      const { body: second } = await refresh(first.refreshToken);
      const otherSession = await signIn();
      await clock.runWithWallShift(10_001, async () => {
        expect((await refresh(first.refreshToken)).body.code).to.equal("REFRESH_REUSED");
        for (const { accessToken } of [first, second])
          expect((await session(accessToken)).body.code).to.equal("TOKEN_INVALID");
        for (const { refreshToken } of [first, second])
          expect((await refresh(refreshToken)).body.code).to.equal("REFRESH_REUSED");
        expect((await session(otherSession.accessToken)).status).to.equal(200);
      });
    });

    it("a refresh token two rotations old has no grace", async () => {
      const first = await signIn();
      const { body: second } = await refresh(first.refreshToken);
      const { body: third } = await refresh(second.refreshToken);
      expect((await refresh(first.refreshToken)).body.code).to.equal("REFRESH_REUSED");
      expect((await refresh(third.refreshToken)).body.code).to.equal("REFRESH_REUSED");
    });

    it("a refresh is possible until seven days after the sign-in", async () => {
      const first = await signIn();
      const sixDaysMs = 6 * 86_400_000;
      clock.shiftWallClock(sixDaysMs);
      try {
        const { body: second } = await refresh(first.refreshToken);
        expect(Date.parse(second.accessExpiresAt)).to.be.at.most(Date.parse(second.refreshExpiresAt));
        await clock.runWithWallShift(86_400_000 + 1000, async () => {
          expect((await refresh(second.refreshToken)).body.code).to.equal("TOKEN_EXPIRED");
          expect((await session(second.accessToken)).body.code).to.equal("TOKEN_EXPIRED");
        });
      } finally {
        clock.shiftWallClock(-sixDaysMs);
      }
    });

    it("a refresh accepts only refresh tokens", async () => {
      const { accessToken } = await signIn();
      for (const token of [accessToken, "ar_unknown", "junk"])
        expect((await refresh(token)).body.code, token.slice(0, 3)).to.equal("TOKEN_INVALID");
      await api.expectError("auth.refresh", "VALIDATION_FAILED", { params, body: {} });
      const tetris = { params: { slug: "tetris" }, body: { refreshToken: "ar_unknown" } };
      await api.expectError("auth.refresh", "GAME_NOT_FOUND", tetris);
    });

    it("a refresh ignores an Idempotency-Key, so that no token is stored", async () => {
      const headers = { "Idempotency-Key": "the-same" };
      const first = await signIn();
      const second = await api.expectSuccess("auth.refresh", {
        params,
        headers,
        body: { refreshToken: first.refreshToken },
      });
      const { refreshToken } = second.body;
      const third = await api.expectSuccess("auth.refresh", { params, headers, body: { refreshToken } });
      expect(third.body.refreshToken).to.not.equal(refreshToken);
    });
  });

  describe("signing out", () => {
    const signOut = (token: string, body: object = {}) => api.expectSuccess("auth.signOut", { params, token, body });
    async function expectSignedOut({ accessToken, refreshToken }: Tokens): Promise<void> {
      await api.expectError("auth.session", "TOKEN_INVALID", { params, token: accessToken });
      await api.expectError("auth.refresh", "REFRESH_REUSED", { params, body: { refreshToken } });
    }
    async function expectSignedIn({ accessToken, refreshToken }: Tokens): Promise<void> {
      await api.expectSuccess("auth.session", { params, token: accessToken });
      await api.expectSuccess("auth.refresh", { params, body: { refreshToken } });
    }
    async function startPractice({ accessToken }: Tokens) {
      const started = await api.expectSuccess("sessions.start", {
        params,
        token: accessToken,
        body: { source: "browser_ws" },
      });
      const { wsUrl, playToken } = started.body;
      return openChannel(wsUrl, playToken);
    }

    it("a sign-out revokes every token of this sign-in and of no other", async () => {
      const [first, second, foreign] = [await signIn(), await signIn(), await signIn(other)];
      const { refreshToken } = first;
      const { body: renewed } = await api.expectSuccess("auth.refresh", { params, body: { refreshToken } });
      const { body } = await signOut(first.accessToken);
      expect(body).to.include({ signedOut: true, signIns: 1 });
      await expectSignedOut(first);
      await expectSignedOut(renewed);
      for (const tokens of [second, foreign]) await expectSignedIn(tokens);
    });

    it("a sign-out everywhere revokes every sign-in of the wallet and of no other wallet", async () => {
      const mine = [await signIn(), await signIn(), await signIn()];
      const foreign = await signIn(other);
      const { body } = await signOut(mine[1]!.accessToken, { all: true });
      expect(body.signedOut).to.equal(true);
      expect(body.signIns).to.be.at.least(3);
      for (const tokens of mine) await expectSignedOut(tokens);
      await expectSignedIn(foreign);
    });

    it("a sign-out closes the play channel that its sign-in opened, and leaves another sign-in's open", async () => {
      const [leaving, staying] = [await signIn(), await signIn()];
      const closing = await startPractice(leaving);
      const open = await startPractice(staying);
      await signOut(leaving.accessToken);
      expect(await closing.closed).to.equal("4003 TOKEN_REVOKED");
      expect(open.socket.readyState).to.equal(WebSocket.OPEN);
      await signOut(staying.accessToken, { all: true });
      expect(await open.closed).to.equal("4003 TOKEN_REVOKED");
    });

    it("a play token that was not used before the sign-out opens no channel", async () => {
      const tokens = await signIn();
      const started = await api.expectSuccess("sessions.start", {
        params,
        token: tokens.accessToken,
        body: { source: "browser_ws" },
      });
      await signOut(tokens.accessToken);
      const socket = new WebSocket(started.body.wsUrl);
      await new Promise((resolve) => socket.once("open", resolve));
      socket.send(JSON.stringify({ t: "auth", token: started.body.playToken }));
      const reason = await new Promise((resolve) => socket.once("close", (_, text) => resolve(text.toString())));
      expect(reason).to.equal("TOKEN_REVOKED");
    });

    it("a sign-out needs an access token that is valid", async () => {
      const tokens = await signIn();
      await signOut(tokens.accessToken);
      await api.expectError("auth.signOut", "TOKEN_INVALID", { params, token: tokens.accessToken, body: {} });
      await api.expectError("auth.signOut", "AUTH_REQUIRED", { params, body: {} });
      const { accessToken } = await signIn();
      await api.expectError("auth.signOut", "GAME_NOT_FOUND", {
        params: { slug: "tetris" },
        token: accessToken,
        body: {},
      });
    });
  });
});
