import { expect } from "chai";
import { checkInstalled } from "../../scripts/fleet/programs.ts";
import { command } from "../../scripts/fleet.ts";
import { callCommand } from "../helpers/commands.ts";

describe("npm run fleet", () => {
  it("reports the Debian packages of the programs that are not installed", () => {
    expect(() => checkInstalled({ postgresql: null, "nats-server": "/usr/sbin/nats-server" }))
      .to.throw("Not installed: postgresql.")
      .with.property("next", "apt-get install postgresql");
    expect(() => checkInstalled({ postgresql: null, "nats-server": null }))
      .to.throw("Not installed: postgresql and nats-server.")
      .with.property("next", "apt-get install postgresql nats-server");
  });

  it("rejects the address of a database, NATS or a chain, since it starts its own", async () => {
    const { code, err } = await callCommand(command, [], { ARCADE_NATS_URL: "nats://10.0.0.5:4222" });
    expect(code).to.equal(2);
    expect(err).to.include("ARCADE_NATS_URL: expected none, because the fleet sets them itself");
  });

  it("rejects a number of backends that it cannot start", async () => {
    const { code, err } = await callCommand(command, ["--backends", "0"]);
    expect(code).to.equal(2);
    expect(err).to.include('--backends: expected a number from 1 to 8, received "0"');
  });
});
