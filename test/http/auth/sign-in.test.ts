import { expect } from "chai";
import type { Hex } from "viem";
import { routes } from "../../../backend/http/routes/index.ts";
import { startTestStack, useTestStack } from "../../helpers/suite.ts";
import { ShiftClock } from "../support/shift-clock.ts";
import { attemptSignIn, createTestAccount, type SignInAttempt, TOKEN_ROUTES } from "../support/sign-in.ts";
import { createRouteTester } from "../support/watch-routes.ts";

const GAME = { params: { slug: "shellrunners" } };
const account = createTestAccount(1);
const other = createTestAccount(2);

describe("signing in", () => {
  const clock = new ShiftClock();
  const api = createRouteTester(() => stack);
  const stack = useTestStack({ clock });
  api.checkCodesAfterAll(
    routes.map(({ name }) => name).filter((name) => name.startsWith("auth.") && !TOKEN_ROUTES.includes(name)),
  );

  /** Like `attemptSignIn`, and checks every answer against the route's table. */
  async function verify(attempt: Partial<SignInAttempt> = {}) {
    const { message, signature } = await attemptSignIn(stack, { account, ...attempt, verifySlug: "no-such-game" });
    const slug = attempt.verifySlug ?? attempt.slug ?? "shellrunners";
    return api.call("auth.verify", { params: { slug }, body: { message, signature } });
  }
  const signIn = async () => (await verify()).body as { accessToken: string; refreshToken: string };
  const session = (token: string) => api.call("auth.session", { ...GAME, token });
  const toIsoAfter = (seconds: number) => new Date(clock.nowMs() + seconds * 1000).toISOString();

  it("the service gives a complete message, and tokens for its signature", async () => {
    const nonce = await api.expectSuccess("auth.nonce", { ...GAME, body: { walletAddress: account.address } });
    const { host } = new URL(stack.httpUrl);
    expect(nonce.body).to.include({ domain: host, chainId: 31337 });
    expect(nonce.body.nonce).to.match(/^[0-9a-f]{32}$/);
    for (const part of [host, account.address, nonce.body.uri, nonce.body.nonce, nonce.body.issuedAt, "31337"]) {
      expect(nonce.body.message).to.include(part);
    }
    expect(Date.parse(nonce.body.expiresAt) - Date.parse(nonce.body.issuedAt)).to.equal(300_000);

    const { message } = nonce.body;
    const signature = await account.signMessage({ message });
    const { body } = await api.expectSuccess("auth.verify", { ...GAME, body: { message, signature } });
    expect(body).to.include({ tokenType: "Bearer", walletAddress: account.address, agentId: null });
    expect(body.accessToken).to.match(/^aa_[\w-]{43}$/);
    expect(body.refreshToken).to.match(/^ar_[\w-]{43}$/);
    expect(Date.parse(body.accessExpiresAt) - clock.nowMs()).to.be.within(86_390_000, 86_400_000);
    expect(Date.parse(body.refreshExpiresAt) - clock.nowMs()).to.be.within(604_790_000, 604_800_000);
    const who = await session(body.accessToken);
    expect(who.body).to.include({ authenticated: true, walletAddress: account.address, slug: "shellrunners" });
  });

  it("a token of one game is valid for the other, and its session reports the game that issued it", async () => {
    const { body } = await verify({ slug: "flappy-bots" });
    expect((await session(body.accessToken)).body.slug).to.equal("flappybots");
  });

  describe("a message with other content", () => {
    const mismatches: [field: string, edit: (message: string) => string, received: string][] = [
      ["domain", (text) => text.replace(/^http:\/\/\S+/, "http://evil.example"), "evil.example"],
      ["uri", (text) => text.replace(/URI: \S+/, "URI: https://evil.example/verify"), "https://evil.example/verify"],
      ["version", (text) => text.replace("Version: 1", "Version: 2"), "2"],
      ["chainId", (text) => text.replace("Chain ID: 31337", "Chain ID: 1"), "1"],
      ["chainId", (text) => text.replace("Chain ID: 31337", "Chain ID: 031337"), "031337"],
      ["address", (text) => text.replace(account.address, other.address), other.address],
      ["scheme", (text) => text.replace(/^http:/, "evil+x:"), "evil+x"],
      ["domain", (text) => text.replace(/^http:\/\//, "http://evil@"), "evil@HOST"],
      ["statement", (text) => text.replace(/Sign in .*\)\./, "Sell everything."), "Sell everything."],
      ["statement", (text) => text.replace(/\nSign in .*\)\.\n/, "\n"), "none"],
      [
        "uri",
        (text) => text.replace(/auth\/verify/, "auth/verify/x"),
        "http://HOST/api/games/shellrunners/auth/verify/x",
      ],
      [
        "uri",
        (text) => text.replace(/URI: http:\/\//, "URI: http://a:b@"),
        "http://a:b@HOST/api/games/shellrunners/auth/verify",
      ],
      [
        "uri",
        (text) => text.replace(/auth\/verify/, "auth/verify?x"),
        "http://HOST/api/games/shellrunners/auth/verify?x",
      ],
      [
        "uri",
        (text) => text.replace(/auth\/verify/, "auth/verify#x"),
        "http://HOST/api/games/shellrunners/auth/verify#x",
      ],
      ["requestId", (text) => `${text}\nRequest ID: transfer-1`, "transfer-1"],
      ["resources", (text) => `${text}\nResources:\n- https://evil.example/all`, "https://evil.example/all"],
    ];
    for (const [field, edit, received] of mismatches) {
      it(`a message is MESSAGE_MISMATCH when its ${field} is ${received}`, async () => {
        const { body } = await verify({ edit });
        const expanded = received.replace("HOST", new URL(stack.httpUrl).host);
        expect(body).to.include({ code: "MESSAGE_MISMATCH", field, received: expanded });
        expect(body.expected).to.be.a("string").and.not.equal(expanded);
      });
    }

    const times: [name: string, field: string, edit: (message: string) => string][] = [
      ["issued 301 s ago", "issuedAt", (text) => text.replace(/Issued At: \S+/, `Issued At: ${toIsoAfter(-301)}`)],
      ["issued in 75 s", "issuedAt", (text) => text.replace(/Issued At: \S+/, `Issued At: ${toIsoAfter(75)}`)],
      ["good from a minute on", "notBefore", (text) => `${text}\nNot Before: ${toIsoAfter(60)}`],
      [
        "expired a second ago",
        "expirationTime",
        (text) => text.replace(/Expiration Time: \S+/, `Expiration Time: ${toIsoAfter(-1)}`),
      ],
      [
        "valid until 9999",
        "expirationTime",
        (text) => text.replace(/(Expiration Time: )\S+/, "$19999-01-01T00:00:00Z"),
      ],
      ["valid forever", "expirationTime", (text) => text.replace(/\nExpiration Time: \S+/, "")],
    ];
    for (const [name, field, edit] of times) {
      it(`a message is MESSAGE_EXPIRED when ${name}`, async () => {
        const { body } = await verify({ edit });
        expect(body).to.include({ code: "MESSAGE_EXPIRED", field });
        expect(body.expected).to.be.a("string");
        expect(body.received).to.match(/^\d{4}-|^none$/);
        expect(body.error).to.match(/sign its message unchanged, or correct your clock\.$/);
      });
    }

    it("an empty list of resources, which libraries write, is accepted", async () => {
      expect((await verify({ edit: (text) => `${text}\nResources:` })).status).to.equal(200);
    });

    it("a message of the same service under another of its names is accepted on the local machine", async () => {
      const { port } = new URL(stack.httpUrl);
      for (const name of ["localhost", "[::1]"]) {
        const toName = (text: string) => text.replaceAll(`127.0.0.1:${port}`, `${name}:${port}`);
        expect((await verify({ edit: toName })).status, name).to.equal(200);
      }
    });

    it("a message is accepted within the allowed clock skew", async () => {
      const early = await verify({ edit: (text) => text.replace(/Issued At: \S+/, `Issued At: ${toIsoAfter(-290)}`) });
      expect(early.status).to.equal(200);
      const late = await verify({ edit: (text) => text.replace(/Issued At: \S+/, `Issued At: ${toIsoAfter(50)}`) });
      expect(late.status).to.equal(200);
    });

    it("a message is MESSAGE_MISMATCH when it is too long", async () => {
      const { body } = await verify({ edit: (text) => text.replace("Sign in to", `${"x".repeat(2048)} Sign in to`) });
      expect(body).to.include({ code: "MESSAGE_MISMATCH", field: "length", expected: "at most 2048 bytes" });
    });
  });

  describe("a nonce", () => {
    it("a nonce is rejected when the service did not issue it, or issued it for another game", async () => {
      const unknown = await verify({ edit: (text) => text.replace(/Nonce: \w+/, `Nonce: ${"0".repeat(32)}`) });
      expect(unknown.body.code).to.equal("NONCE_INVALID");
      expect((await verify({ verifySlug: "flappybots" })).body.code).to.equal("NONCE_INVALID");
    });

    it("a nonce is accepted once", async () => {
      const { message, signature } = await attemptSignIn(stack, { account });
      await api.expectError("auth.verify", "NONCE_USED", { ...GAME, body: { message, signature } });
    });

    it("a failed attempt uses up the nonce", async () => {
      const { response, message } = await attemptSignIn(stack, {
        account,
        sign: (text) => other.signMessage({ message: text }),
      });
      expect(response.body.code).to.equal("SIGNATURE_INVALID");
      const signature = await account.signMessage({ message });
      await api.expectError("auth.verify", "NONCE_USED", { ...GAME, body: { message, signature } });
    });

    it("a nonce expires after five minutes", async () => {
      const { message, signature } = await attemptSignIn(stack, { account, verifySlug: "no-such-game" });
      await clock.runWithWallShift(300_001, () =>
        api.expectError("auth.verify", "NONCE_EXPIRED", { ...GAME, body: { message, signature } }),
      );
    });
  });

  describe("a signature", () => {
    const forgeries: [name: string, forge: (signature: Hex) => Hex][] = [
      ["one bit of r flipped", (text) => `0x${(Number.parseInt(text[2]!, 16) ^ 1).toString(16)}${text.slice(3)}`],
      ["the other v", (text) => `${text.slice(0, 130)}${text.endsWith("1b") ? "1c" : "1b"}` as Hex],
      ["a byte more", (text) => `${text}00`],
    ];
    for (const [name, forge] of forgeries) {
      it(`a signature with ${name} is SIGNATURE_INVALID`, async () => {
        const { body } = await verify({ sign: async (message) => forge(await account.signMessage({ message })) });
        expect(body).to.include({ code: "SIGNATURE_INVALID", expected: account.address });
      });
    }

    it("a signature of another wallet is SIGNATURE_INVALID and reports its signer", async () => {
      const { body } = await verify({ sign: (message) => other.signMessage({ message }) });
      expect(body).to.include({
        code: "SIGNATURE_INVALID",
        expected: account.address,
        received: other.address,
      });
    });

    it("a signature of another message is SIGNATURE_INVALID", async () => {
      const { body } = await verify({ sign: (message) => account.signMessage({ message: `${message} ` }) });
      expect(body.code).to.equal("SIGNATURE_INVALID");
    });
  });

  it("a contract wallet is rejected while contract wallets are not allowed", async () => {
    const { body } = await verify({ sign: async () => `0x${"11".repeat(32)}` });
    expect(body.code).to.equal("SIGNATURE_INVALID");
  });

  it("the sign-in routes reject an unknown game", async () => {
    const tetris = { params: { slug: "tetris" } };
    const { accessToken } = await signIn();
    for (const name of ["auth.nonce", "auth.verify", "auth.refresh", "auth.session"])
      await api.expectError(name, "GAME_NOT_FOUND", { ...tetris, token: accessToken });
  });
});

describe("signing in with configured domains", () => {
  it("the message that the service gave is accepted although the configured domains do not include the service", async () => {
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
