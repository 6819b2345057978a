import { expect } from "chai";
import { type FunctionFragment, id, ZeroAddress, ZeroHash } from "ethers";
import { type Arcade, as, deployContract, makeDuties, useArcade } from "./helpers/arcade.ts";
import type { AnyContract } from "./helpers/contract.ts";
import { DUTIES } from "./helpers/duties.ts";
import { expectEvent, expectRevert } from "./helpers/expect.ts";

type Who = "admin" | "guardian" | "operator" | "thirdParty";

/**
 * Who may call each function that writes: `anyone` is judged by what the call says (a signature, an owner), `reducer`
 * is guardian or admin, and may need to be the admin for what raises power.
 */
const RULES: { readonly [signature: string]: "admin" | "reducer" | "anyone" | "roles" } = {
  "pause()": "reducer",
  "unpause()": "admin",
  "scheduleSigner(address,bool)": "admin",
  "promoteSigner()": "admin",
  "revokeSigner(address)": "reducer",
  "clearSignerBan(address)": "admin",
  "setBaseURI(string)": "admin",
  "setContractURI(string)": "admin",
  "setRoyalty(address,uint96)": "admin",
  "setOpenRegistration(bool)": "reducer",
  "setCaps(uint256,uint256)": "reducer",
  "setMaxScorePerSession(uint256)": "reducer",
  "setMaxPayout(uint256)": "reducer",
  "cancelSessions((address,bytes32)[])": "reducer",
  "restoreSessions((address,bytes32)[])": "admin",
  "voidPoints((address,uint256)[])": "reducer",
  "restorePoints((address,uint256)[])": "admin",
  "annul(uint256[])": "reducer",
  "withdraw(address,uint256)": "admin",
  "fund(uint256)": "anyone",
  "payout(address)": "anyone",
  "payoutAtLeast(address,uint256)": "anyone",
  "snapshotScoreSigned(address,bytes32,uint256,bytes32,uint256,bytes)": "anyone",
  "snapshotScoresSigned(address,(bytes32,bytes32,uint256)[],uint256,bytes)": "anyone",
  "mintSigned(address,uint256,uint256,uint256,bytes)": "anyone",
  "upgradeSigned(address,uint256,uint256,uint256,bytes)": "anyone",
  "mintIdentityWithSignature(address,bytes32,uint256,bytes)": "anyone",
  "mintIdentityFor(address,bytes32,uint256,bytes,bytes)": "anyone",
  "cancelMintNonce()": "anyone",
  "setPrimaryIdentity(uint256)": "anyone",
  "register()": "anyone",
  "register(string)": "anyone",
  "register(string,(string,bytes)[])": "anyone",
  "setAgentURI(uint256,string)": "anyone",
  "setMetadata(uint256,string,bytes)": "anyone",
  "setAgentWallet(uint256,address,uint256,bytes)": "anyone",
  "unsetAgentWallet(uint256)": "anyone",
  // OpenZeppelin's own: ERC-721 and the roles.
  "approve(address,uint256)": "anyone",
  "setApprovalForAll(address,bool)": "anyone",
  "safeTransferFrom(address,address,uint256)": "anyone",
  "safeTransferFrom(address,address,uint256,bytes)": "anyone",
  "transferFrom(address,address,uint256)": "anyone",
  "grantRole(bytes32,address)": "roles",
  "revokeRole(bytes32,address)": "roles",
  "renounceRole(bytes32,address)": "roles",
  "beginDefaultAdminTransfer(address)": "roles",
  "cancelDefaultAdminTransfer()": "roles",
  "acceptDefaultAdminTransfer()": "roles",
  "changeDefaultAdminDelay(uint48)": "roles",
  "rollbackDefaultAdminDelay()": "roles",
};

/** An argument that an authorized call may have; whether the call then succeeds is another matter. */
const EXAMPLES: { readonly [type: string]: unknown } = {
  address: "0x00000000000000000000000000000000000000aa",
  bool: false,
  string: "",
  bytes32: ZeroHash,
  uint96: 1n,
  uint256: 1n,
  "uint256[]": [],
  "tuple[]": [],
};

/** The name of the error a call is refused with, or nothing. */
async function refusalOf(contract: AnyContract, fragment: FunctionFragment): Promise<string> {
  try {
    const args = fragment.inputs.map(({ type }) => EXAMPLES[type]);
    await contract.getFunction(fragment.format()).staticCall(...args);
    return "";
  } catch (error) {
    return /custom error '(\w+)/.exec(String(error))?.[1] ?? String(error);
  }
}

describe("authority", () => {
  const arcade = useArcade();
  const contracts = ["identity", "nft", "rewards"] as const;
  const writing = ({ interface: { fragments } }: AnyContract): FunctionFragment[] =>
    fragments.filter(
      (fragment): fragment is FunctionFragment =>
        fragment.type === "function" && !["view", "pure"].includes((fragment as FunctionFragment).stateMutability),
    );
  const callers = (arcade: Arcade) =>
    (["admin", "guardian", "operator", "thirdParty"] as const).map((who): [Who, AnyContract["runner"]] => [
      who,
      arcade[who],
    ]);

  for (const name of contracts) {
    it(`of every function of the ${name} contract is written down`, () => {
      const unknown = writing(arcade[name])
        .map((fragment) => fragment.format())
        .filter((signature) => RULES[signature] === undefined);
      expect(unknown).to.deep.equal([]);
    });

    it(`over the ${name} contract: only the admin raises power, guardian and admin reduce it, no other account does either`, async () => {
      const contract = arcade[name];
      for (const fragment of writing(contract)) {
        const rule = RULES[fragment.format()];
        if (rule !== "admin" && rule !== "reducer") continue;
        const refusal = rule === "admin" ? "AccessControlUnauthorizedAccount" : "NotGuardian";
        for (const [who, account] of callers(arcade)) {
          const allowed = who === "admin" || (who === "guardian" && rule === "reducer");
          const outcome = await refusalOf(as(contract, account as never), fragment);
          const words = `${who} calls ${fragment.format()}`;
          if (allowed) expect(outcome, words).not.to.equal(refusal);
          else expect(outcome, words).to.equal(refusal);
        }
      }
    });
  }

  it("is given at deployment to the accounts that were named, and to none where none was", async () => {
    const { connection, rewards } = arcade;
    const [guardianRole, operatorRole] = [await rewards.GUARDIAN_ROLE(), await rewards.OPERATOR_ROLE()];
    expect([guardianRole, operatorRole]).to.deep.equal([id("GUARDIAN_ROLE"), id("OPERATOR_ROLE")]);
    expect(await rewards.hasRole(guardianRole, arcade.guardian)).to.equal(true);
    expect(await rewards.hasRole(operatorRole, arcade.operator)).to.equal(true);
    const duties = makeDuties(arcade, arcade.keys.identity, { adminDelaySeconds: 7n, signerDelaySeconds: 9n });
    const withoutGuardian = await deployContract(connection, "AgentIdentity", [duties, "A", "A", "b/"]);
    expect(await withoutGuardian.hasRole(guardianRole, ZeroAddress)).to.equal(false);
    expect(await withoutGuardian.defaultAdminDelay()).to.equal(7n);
    expect(await withoutGuardian.signerDelay()).to.equal(9n);
    const unsigned = { ...duties, signer: ZeroAddress };
    await expectRevert(deployContract(connection, "AgentIdentity", [unsigned, "A", "A", "b/"]), "ZeroAddress");
  });

  for (const duty of DUTIES) {
    describe(`over ${duty.name}`, () => {
      beforeEach(() => duty.prepare(arcade));

      it("freezes while paused, and only the admin thaws it", async () => {
        const contract = duty.contractOf(arcade);
        const { admin, guardian, thirdParty } = arcade;
        await expectRevert(as(contract, thirdParty).pause(), "NotGuardian");
        await expectEvent(as(contract, guardian).pause(), contract, "Paused", guardian.address);
        expect(await contract.paused()).to.equal(true);
        // Signers stay signers, and a second pause changes nothing.
        expect(await contract.isSigner(duty.keyOf(arcade))).to.equal(true);
        expect((await (await as(contract, admin).pause()).wait()).logs).to.deep.equal([]);
        await expectRevert(duty.send(arcade, 1n, duty.keyOf(arcade)), "EnforcedPause");
        await expectRevert(as(contract, guardian).unpause(), "AccessControlUnauthorizedAccount");
        await expectEvent(as(contract, admin).unpause(), contract, "Unpaused", admin.address);
        expect(await contract.paused()).to.equal(false);
        expect((await (await as(contract, admin).unpause()).wait()).logs).to.deep.equal([]);
        await duty.expectCall(arcade, 2n, duty.keyOf(arcade));
      });

      it("hands the admin role over in two steps, after its delay", async () => {
        const contract = duty.contractOf(arcade);
        const { admin, other, time } = arcade;
        await as(contract, admin).beginDefaultAdminTransfer(other);
        await expectRevert(as(contract, other).acceptDefaultAdminTransfer(), "AccessControlEnforcedDefaultAdminDelay");
        await time.increase(3_601);
        await as(contract, other).acceptDefaultAdminTransfer();
        expect(await contract.defaultAdmin()).to.equal(other.address);
        await expectRevert(as(contract, admin).promoteSigner(), "AccessControlUnauthorizedAccount");
      });
    });
  }
});
