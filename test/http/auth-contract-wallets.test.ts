import { expect } from "chai";
import { type Address, concatHex, getAddress, pad, stringToHex } from "viem";
import { type Suite, startSuite } from "../helpers/suite.ts";
import { watchRoutes } from "./support/watch-routes.ts";

type Hex = `0x${string}`;

const PASSWORD = stringToHex("let this one in", { size: 32 });
/** `isValidSignature` alone: ERC-1271's magic value where the signature's first word is the password, else 0. */
const RUNTIME = concatHex(["0x7f", PASSWORD, "0x60643514", "0x631626ba7e60e01b", "0x02", "0x60005260206000f3"]);

describe("signing in with a contract wallet", () => {
  let suite: Suite;
  const api = watchRoutes(() => suite);
  const wallet: Address = getAddress("0x00000000000000000000000000000000c0de1271");
  const params = { slug: "shellrunners" };
  before(async () => {
    suite = await startSuite({ env: { ARCADE_AUTH_ALLOW_ERC1271: "true" } });
    await suite.chain.request("hardhat_setCode", [wallet, RUNTIME]);
  });
  after(() => suite.close());

  async function verify(walletAddress: Address, signature: Hex) {
    const nonce = await api.succeed("auth.nonce", { params, body: { walletAddress } });
    return api.call("auth.verify", { params, body: { message: nonce.body.message, signature } });
  }

  it("takes what the contract takes, for one hour, at any length", async () => {
    for (const signature of [PASSWORD, pad(PASSWORD, { dir: "right", size: 65 })]) {
      const { status, body } = await verify(wallet, signature);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.walletAddress).to.equal(wallet);
      expect(Date.parse(body.accessExpiresAt) - Date.now()).to.be.within(3_500_000, 3_600_000);
      const refreshed = await api.succeed("auth.refresh", { params, body: { refreshToken: body.refreshToken } });
      expect(Date.parse(refreshed.body.accessExpiresAt) - Date.now()).to.be.within(3_500_000, 3_600_000);
    }
  });

  it("refuses what the contract refuses, and whoever has no code", async () => {
    expect((await verify(wallet, pad("0x01", { size: 32 }))).body).to.include({ code: "SIGNATURE_INVALID" });
    const nobody: Address = "0x00000000000000000000000000000000c0de1272";
    expect((await verify(nobody, PASSWORD)).body).to.include({ code: "SIGNATURE_INVALID" });
  });
});
