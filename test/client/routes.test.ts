import { expect } from "chai";
import { privateKeyToAccount } from "viem/accounts";
import { routes as served } from "../../backend/http/routes/index.ts";
import { createClient } from "../../client/client.ts";
import { ROUTES } from "../../client/routes.generated.ts";
import { fakeWallet } from "./fake-service.ts";

describe("the options of a client", () => {
  for (const baseUrl of ["127.0.0.1:4100", "localhost:4100", "ws://127.0.0.1:4100", "", undefined])
    it(`reject ${JSON.stringify(baseUrl)} as the service's address`, () => {
      expect(() => createClient({ baseUrl: baseUrl as string })).to.throw(
        TypeError,
        `received ${JSON.stringify(baseUrl)}`,
      );
    });

  for (const [baseUrl, received] of [
    ["http://127.0.0.1:4100/api", 'http://127.0.0.1:4100, received "http://127.0.0.1:4100/api": remove "/api"'],
    ["https://arcade.example/?a=1", 'https://arcade.example, received "https://arcade.example/?a=1": remove "/?a=1"'],
    ["http://me:secret@127.0.0.1:4100", "http://127.0.0.1:4100, received a URL with a user or a password"],
    ["me:secret@127.0.0.1:4100", "http://127.0.0.1:4100, received a value that is not shown"],
  ] as const)
    it(`reject ${baseUrl}, which is more than an origin, and never show a password`, () => {
      expect(() => createClient({ baseUrl }))
        .to.throw(TypeError, `createClient: baseUrl: expected the origin of a service, like ${received}`)
        .with.property("message")
        .that.does.not.include("secret");
    });

  it("take the origin of a URL with slashes at its end, and of an IPv6 address", () => {
    expect(createClient({ baseUrl: "http://[::1]:4100//" }).baseUrl).to.equal("http://[::1]:4100");
  });

  it("reject an account, and a wallet that is still a promise", () => {
    const account = privateKeyToAccount(`0x${"12".repeat(32)}`);
    for (const wallet of [account, Promise.resolve(fakeWallet)])
      expect(() => createClient({ baseUrl: "http://127.0.0.1:1", wallet: wallet as never })).to.throw(
        TypeError,
        /expected `wallet` from `fromViem\(…\)` or `await fromEthers\(…\)`/,
      );
  });
});

describe("the client's table of routes", () => {
  it("has exactly the service's routes", () => {
    expect(Object.keys(ROUTES)).to.have.members(served.map(({ name }) => name));
  });

  it("gives each route a method with its name", () => {
    const client = createClient({ baseUrl: "http://127.0.0.1:1" }) as unknown as Record<
      string,
      Record<string, unknown>
    >;
    for (const { name } of served) {
      const [namespace = "", method = ""] = name.split(".");
      expect(client[namespace]?.[method], name).to.be.a("function");
    }
  });

  it("sends an Idempotency-Key only when the service stores the response", () => {
    for (const route of served) {
      expect(ROUTES[route.name].repeat === "keyed", route.name).to.equal("idempotent" in route && route.idempotent);
    }
  });

  it("does not repeat a sign-in, a step or a faucet request after a lost response", () => {
    const once = served.filter(({ name }) => ROUTES[name].repeat === "once").map(({ name }) => name);
    expect(once).to.have.members(["auth.verify", "sessions.step", "dev.faucet"]);
  });
});
