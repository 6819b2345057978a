import { expect } from "chai";
import { routes } from "../../backend/http/routes/index.ts";
import type { Route } from "../../backend/http/routing/route.ts";
import { RouteTable } from "../../backend/http/routing/route-table.ts";

const VALUES = { slug: "flappybots", sessionId: "0190f1d5-7c4e-7abc-8def-0123456789ab" };

describe("the table of routes", () => {
  const table = new RouteTable(routes);

  it("finds every route by its own path, with its parameters", () => {
    for (const { name, method, path } of routes as readonly Route[]) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param!);
      const params = Object.fromEntries(names.map((param) => [param, VALUES[param as keyof typeof VALUES] ?? "12"]));
      const url = path.replaceAll(/\{(\w+)\}/g, (_, param) => params[param]!);
      for (const asked of [url, `${url}?a=b/c`]) {
        const found = table.find(method, asked)!;
        expect(found.route.name, asked).to.equal(name);
        expect({ ...found.params }).to.deep.equal(params);
      }
    }
  });

  it("leaves other spellings, methods and paths to Express", () => {
    for (const path of [
      ...["/api/games/catalog/", "/API/games/catalog", "/api/games//catalog", "/api/games/%63atalog/runs", "/", ""],
      ...["/api/games/a b/runs", "/api/games/catalog.json", "//api/games/catalog", "*", "http://x/api/games/catalog"],
    ])
      expect(table.find("GET", path)?.route.path, path).to.be.oneOf([undefined, "/api/games/{slug}"]);
    expect(table.find("HEAD", "/api/games/catalog")).to.equal(null);
    expect(table.find("OPTIONS", "/api/games/catalog")).to.equal(null);
    expect(table.find("POST", "/api/games/catalog")).to.equal(null);
  });
});
