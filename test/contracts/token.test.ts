import { expect } from "chai";
import { as, SUPPLY, useArcade } from "./helpers/arcade.ts";
import { soon } from "./helpers/sign.ts";

describe("RewardToken", () => {
  const arcade = useArcade({ float: 0n });

  it("mints the whole supply to the treasury, once", async () => {
    const { token, treasury } = arcade;
    expect(await token.totalSupply()).to.equal(SUPPLY);
    expect(await token.balanceOf(treasury)).to.equal(SUPPLY);
    expect([await token.name(), await token.symbol(), await token.decimals()]).to.deep.equal([
      "Arcade Token",
      "ARCD",
      18n,
    ]);
    const names = token.interface.fragments.map((fragment) => ("name" in fragment ? String(fragment.name) : ""));
    expect(names.filter((name) => /mint|burn|owner/i.test(name))).to.deep.equal([]);
  });

  it("lets a holder give an allowance by signature (ERC-2612)", async () => {
    const { token, treasury, other, chainId } = arcade;
    const deadline = await soon(arcade);
    const signature = await treasury.signTypedData(
      { name: "Arcade Token", version: "1", chainId, verifyingContract: await token.getAddress() },
      {
        Permit: [
          { name: "owner", type: "address" },
          { name: "spender", type: "address" },
          { name: "value", type: "uint256" },
          { name: "nonce", type: "uint256" },
          { name: "deadline", type: "uint256" },
        ],
      },
      { owner: treasury.address, spender: other.address, value: 5n, nonce: 0n, deadline },
    );
    const { v, r, s } = arcade.connection.ethers.Signature.from(signature);
    await as(token, other).permit(treasury.address, other.address, 5n, deadline, v, r, s);
    expect(await token.allowance(treasury, other)).to.equal(5n);
    expect(await token.nonces(treasury)).to.equal(1n);
  });
});
