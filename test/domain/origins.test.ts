import { expect } from "chai";
import { createOwnOrigins, isAllowedOrigin } from "../../domain/origins.ts";

const listOrigins = (publicUrl: string, authDomains: readonly string[]) =>
  createOwnOrigins(() => publicUrl, { publicUrl, authDomains });

describe("the service's own origins", () => {
  it("are all names of this machine for a local service", () => {
    for (const publicUrl of ["http://127.0.0.1:4100", "http://localhost:4100", "http://[::1]:4100"]) {
      const origins = listOrigins(publicUrl, []);
      for (const page of ["http://localhost:4100", "http://127.0.0.1:4100", "http://[::1]:4100"])
        expect(isAllowedOrigin(page, origins), `${page} of ${publicUrl}`).to.equal(true);
      for (const page of ["http://localhost:4101", "https://localhost:4100", "http://localhost.evil.example:4100"])
        expect(isAllowedOrigin(page, origins), `${page} of ${publicUrl}`).to.equal(false);
    }
  });

  it("are compared as URLs: case and the scheme's default port make no difference", () => {
    const origins = listOrigins("https://Arcade.Example:443", ["Play.Example", "other.example:3000"]);
    for (const page of [
      "https://arcade.example",
      "https://ARCADE.EXAMPLE:443",
      "https://play.example",
      "https://other.example:3000",
    ])
      expect(isAllowedOrigin(page, origins), page).to.equal(true);
    for (const page of [
      "http://play.example",
      "https://localhost",
      "null",
      "https://arcade.example/x",
      "https://a@arcade.example",
      "file://",
    ])
      expect(isAllowedOrigin(page, origins), page).to.equal(false);
  });

  it("are never this machine for a service with a public address", () => {
    expect(isAllowedOrigin("http://127.0.0.1:4100", listOrigins("https://arcade.example", []))).to.equal(false);
  });
});
