import { expect } from "chai";
import { routes as served } from "../../backend/http/routes/index.ts";
import { allRoutes } from "../../client/client.ts";

const rows = Object.entries(allRoutes()).flatMap(([namespace, table]) =>
  Object.entries(table).map(([name, row]) => ({
    ...row,
    name: `${namespace}.${name}`,
  })),
);

describe("client: the table of routes", () => {
  it("has a method for every route of the service, under its name", () => {
    const known = new Set(rows.map(({ method, path, name }) => `${name}: ${method} ${path}`));
    const missing = served
      .map(({ method, path, name }) => `${name}: ${method} ${path}`)
      .filter((row) => !known.has(row));
    expect(missing).to.deep.equal([]);
  });

  for (const route of served) {
    it(`sends what ${route.name} asks for`, () => {
      const token = { public: "none", optional: "optional", wallet: "wallet", player: "player" }[route.access];
      const own = rows.filter((row) => row.path === route.path && row.method === route.method);
      for (const row of own) {
        expect(row.token, row.name).to.equal(token);
        expect(row.plain ?? false, row.name).to.equal(route.plain ?? false);
      }
      // A key that the service does not keep would promise what nobody holds.
      if (route.creates) expect(own[0]!.repeat).to.equal("keyed");
      else expect(own.map(({ repeat }) => repeat)).to.not.include("keyed");
    });
  }

  it("writes paths as the interface does", () => {
    for (const { path } of rows) expect(path).to.match(/^\/[a-z0-9/{}.-]*$/i);
  });
});
