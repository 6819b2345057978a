import { expect } from "chai";
import type { Hex } from "viem";
import { type Address, concatHex, getAddress, pad, stringToHex } from "viem";
import { useTestStack } from "../../helpers/suite.ts";
import { createRouteTester } from "../support/watch-routes.ts";

const PASSWORD = stringToHex("let this one in", { size: 32 });
/** Only `isValidSignature`: ERC-1271's magic value if the signature's first word is the password, else 0. */
const RUNTIME = concatHex(["0x7f", PASSWORD, "0x60643514", "0x631626ba7e60e01b", "0x02", "0x60005260206000f3"]);

describe("signing in with a contract wallet", () => {
  const api = createRouteTester(() => stack);
  const wallet: Address = getAddress("0x00000000000000000000000000000000c0de1271");
  const params = { slug: "shellrunners" };
  const stack = useTestStack({ env: { ARCADE_AUTH_ALLOW_ERC1271: "true" } });
  before(async () => {
    await stack.chain.request("hardhat_setCode", [wallet, RUNTIME]);
  });

  async function verify(walletAddress: Address, signature: Hex) {
    const nonce = await api.expectSuccess("auth.nonce", { params, body: { walletAddress } });
    return api.call("auth.verify", { params, body: { message: nonce.body.message, signature } });
  }

  it("a contract wallet signs in with any signature that it accepts, for one hour", async () => {
    for (const signature of [PASSWORD, pad(PASSWORD, { dir: "right", size: 65 })]) {
      const { status, body } = await verify(wallet, signature);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.walletAddress).to.equal(wallet);
      expect(Date.parse(body.accessExpiresAt) - Date.now()).to.be.within(3_500_000, 3_600_000);
      const refreshed = await api.expectSuccess("auth.refresh", { params, body: { refreshToken: body.refreshToken } });
      expect(Date.parse(refreshed.body.accessExpiresAt) - Date.now()).to.be.within(3_500_000, 3_600_000);
    }
  });

  it("a refresh checks with the contract wallet again and revokes a sign-in that it no longer accepts", async () => {
    const first = await verify(wallet, PASSWORD);
    const second = await verify(wallet, PASSWORD);
    try {
      // Another password: every earlier signature is invalid from now on.
      await stack.chain.request("hardhat_setCode", [wallet, RUNTIME.replace(PASSWORD.slice(2), "11".repeat(32))]);
      const { accessToken, refreshToken } = first.body;
      await api.expectError("auth.refresh", "TOKEN_INVALID", { params, body: { refreshToken } });
      await api.expectError("auth.session", "TOKEN_INVALID", { params, token: accessToken });
    } finally {
      await stack.chain.request("hardhat_setCode", [wallet, RUNTIME]);
    }
    await api.expectError("auth.refresh", "REFRESH_REUSED", {
      params,
      body: { refreshToken: first.body.refreshToken },
    });
    await api.expectSuccess("auth.refresh", { params, body: { refreshToken: second.body.refreshToken } });
  });

  it("a signature is rejected when the contract rejects it or the address has no code", async () => {
    expect((await verify(wallet, pad("0x01", { size: 32 }))).body).to.include({ code: "SIGNATURE_INVALID" });
    const undeployedWallet: Address = "0x00000000000000000000000000000000c0de1272";
    expect((await verify(undeployedWallet, PASSWORD)).body).to.include({ code: "SIGNATURE_INVALID" });
  });
});
