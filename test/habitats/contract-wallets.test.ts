/** Wallets that are contracts: Safes, deployed or not, and accounts with delegated code. */
import { expect } from "chai";
import { hashTypedData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { developmentAccount } from "../../backend/config/dev-keys.ts";
import { createClient } from "../../client/client.ts";
import { registerAgent, snapshotScore } from "../../client/flows.ts";
import { requestPayout } from "../../client/payout-flows.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import type { Player } from "../../testing/player.ts";
import { playUntilScore } from "../helpers/flows.ts";
import { useTestStack } from "../helpers/suite.ts";
import { createSafes } from "./safe-wallet.ts";
import { createAccount, signIn } from "./sign-in.ts";

describe("contract wallets", () => {
  const stack = useTestStack({ env: { ARCADE_AUTH_ALLOW_ERC1271: "true" } });
  const owner = privateKeyToAccount(developmentAccount(0).privateKey);
  let safes: Awaited<ReturnType<typeof createSafes>>;
  before(async () => {
    safes = await createSafes(stack.chain.rpcUrl, owner);
  });

  it("a Safe signs in with its owner's signature", async () => {
    const { status, body } = await signIn(stack, safes.deployed, safes.sign);
    expect(status, JSON.stringify(body)).to.equal(200);
  });

  it("a Safe signs in with an empty signature once it has approved the message, not before", async () => {
    const early = await signIn(stack, safes.deployed, async () => "0x");
    expect(early.body.error).to.match(/an empty one, as a Safe gives, which the wallet's contract does not accept/);
    expect((await signIn(stack, safes.deployed, safes.approve)).status).to.equal(200);
  });

  it("a Safe that is not deployed signs in, and a refresh checks again", async () => {
    const { status, body } = await signIn(stack, safes.undeployed, safes.signUndeployed);
    expect(status, JSON.stringify(body)).to.equal(200);
    const refreshed = await stack.request("POST", "/api/games/flappybots/auth/refresh", {
      body: { refreshToken: body.refreshToken },
    });
    expect(refreshed.status).to.equal(200);
  });

  it("a factory that creates another wallet does not sign in any wallet", async () => {
    const { body } = await signIn(stack, safes.undeployed, (message) => safes.signUndeployed(message, 3n));
    expect(body).to.include({ code: "SIGNATURE_INVALID" });
    expect(body.error).to.include("not deployed (ERC-6492), which the wallet's contract does not accept");
  });

  it("a Safe without ether gets from sign-in to a payout in four calls without sending anything", async () => {
    const forbid = async () => expect.fail("the operator pays for every call");
    const wallet: ArcadeWallet = {
      address: safes.deployed,
      signMessage: safes.sign,
      signTypedData: (data) => safes.signTypedDigest(hashTypedData(data as never)),
      sendCall: forbid,
      waitForReceipt: forbid,
    };
    const client = createClient({ baseUrl: stack.httpUrl, wallet });
    await registerAgent({ client, agentName: "Safe", sponsor: true });
    const end = await playUntilScore({ client } as Player, "flappybots");
    const snapshot = await snapshotScore({ client, sessionId: end.sessionId, sponsor: true });
    expect(snapshot).to.include({ mode: "recorded", scoreDelta: end.score });
    // The cooldown of the local chain.
    await stack.chain.request("evm_increaseTime", [6]);
    await stack.chain.request("evm_mine", []);
    const outcome = await requestPayout({ client, sponsor: true });
    expect(outcome).to.have.nested.property("payout.status", "included");
    expect(await stack.chain.request("eth_getBalance", [safes.deployed, "latest"])).to.equal("0x0");
  });

  it("an owner's plain signature is not the Safe's", async () => {
    const { body } = await signIn(stack, safes.deployed, (message) => owner.signMessage({ message }));
    expect(body).to.include({ code: "SIGNATURE_INVALID", received: owner.address });
    expect(body.error).to.include("which the wallet's contract does not accept (ERC-1271)");
  });

  it("an account with delegated code (EIP-7702) signs in with its key", async () => {
    const account = createAccount();
    // The Safe's proxy as the account's code. Its storage is empty, so the code accepts no signature.
    await stack.chain.request("hardhat_setCode", [account.address, `0xef0100${safes.deployed.slice(2)}`]);
    const byKey = await signIn(stack, account.address, (message) => account.signMessage({ message }));
    expect(byKey.status, JSON.stringify(byKey.body)).to.equal(200);
    const byOther = await signIn(stack, account.address, (message) => owner.signMessage({ message }));
    expect(byOther.body).to.include({ code: "SIGNATURE_INVALID" });
  });
});
