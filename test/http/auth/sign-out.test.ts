import { expect } from "chai";
import { WebSocket } from "ws";
import { startTestStack, type TestStack } from "../../helpers/suite.ts";
import { attemptSignIn, createTestAccount } from "../support/sign-in.ts";
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

describe("signing out", () => {
  let stack: TestStack;
  const api = createRouteTester(() => stack);
  api.checkCodesAfterAll(["auth.signOut"]);
  before(async () => {
    stack = await startTestStack();
  });
  after(() => stack.close());

  const signIn = async (wallet = account): Promise<Tokens> =>
    (await attemptSignIn(stack, { account: wallet })).response.body as Tokens;
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
    expect(await closing.closed).to.equal("4003 TOKEN_REPLAYED");
    expect(open.socket.readyState).to.equal(WebSocket.OPEN);
    await signOut(staying.accessToken, { all: true });
    expect(await open.closed).to.equal("4003 TOKEN_REPLAYED");
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
    expect(reason).to.equal("TOKEN_REPLAYED");
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

describe("signing in with configured domains", () => {
  it("the message that the service gave is accepted although the configured domains do not name the service", async () => {
    const stack = await startTestStack({ env: { ARCADE_AUTH_DOMAINS: "play.arcade.example" } });
    try {
      const { response } = await attemptSignIn(stack, { account });
      expect(response.status, JSON.stringify(response.body)).to.equal(200);
      const ownPage = await attemptSignIn(stack, {
        account,
        edit: (text) => text.replaceAll(stack.httpUrl, "https://play.arcade.example"),
      });
      expect(ownPage.response.status, JSON.stringify(ownPage.response.body)).to.equal(200);
    } finally {
      await stack.close();
    }
  });
});
