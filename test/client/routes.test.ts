import { expect } from "chai";
import { routes as served } from "../../backend/http/routes/index.ts";
import { createClient } from "../../client/client.ts";
import { ROUTES } from "../../client/routes.generated.ts";

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
