import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { ZeroAddress } from "ethers";
import type { AdminContract } from "./admin-timelock.ts";
import { type AnySigner, type Arcade, as, keyOf } from "./arcade.ts";
import type { AnyContract } from "./contract.ts";

const OWNERS = ["first owner", "second owner", "third owner"].map(keyOf);
const THRESHOLD = 2;

/** What the owners sign (Safe 1.5, `Safe.sol`). */
const SAFE_TX = [
  ["address", "to"],
  ["uint256", "value"],
  ["bytes", "data"],
  ["uint8", "operation"],
  ["uint256", "safeTxGas"],
  ["uint256", "baseGas"],
  ["uint256", "gasPrice"],
  ["address", "gasToken"],
  ["address", "refundReceiver"],
  ["uint256", "nonce"],
].map(([type, name]) => ({ type: type!, name: name! }));

const readArtifact = (path: string) =>
  JSON.parse(
    readFileSync(
      fileURLToPath(import.meta.resolve(`@safe-global/safe-smart-account/build/artifacts/contracts/${path}.json`)),
      "utf8",
    ),
  );

/** A Safe behind its proxy, as its package ships it compiled: two of three owners sign, anybody sends. */
export async function deploySafe({ connection, chainId, thirdParty }: Arcade): Promise<AdminContract> {
  const deploy = async (path: string): Promise<AnyContract> => {
    const { abi, bytecode } = readArtifact(path);
    return (await (await connection.ethers.getContractFactory(abi, bytecode, thirdParty)).deploy()) as never;
  };
  const singleton = await deploy("Safe.sol/Safe");
  const factory = await deploy("proxies/SafeProxyFactory.sol/SafeProxyFactory");
  const owners = OWNERS.map(({ address }) => address);
  const setup = [owners, THRESHOLD, ZeroAddress, "0x", ZeroAddress, ZeroAddress, 0, ZeroAddress];
  const initializer = singleton.interface.encodeFunctionData("setup", setup);
  const address = await factory.createProxyWithNonce.staticCall(singleton, initializer, 1n);
  await factory.createProxyWithNonce(singleton, initializer, 1n);
  const safe = singleton.attach(address) as AnyContract;

  /** Arguments of `execTransaction`, signed by these. */
  async function sign(signers: readonly AnySigner[], to: AnyContract, functionName: string, args: readonly unknown[]) {
    const data = to.interface.encodeFunctionData(functionName, args);
    const fields = { operation: 0, safeTxGas: 0n, baseGas: 0n, gasPrice: 0n };
    const refund = { gasToken: ZeroAddress, refundReceiver: ZeroAddress };
    const message = { to: await to.getAddress(), value: 0n, data, ...fields, ...refund, nonce: await safe.nonce() };
    const domain = { chainId, verifyingContract: address };
    // The contract wants them by ascending address.
    const sorted = [...signers].sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
    const signatures = await Promise.all(sorted.map((one) => one.signTypedData(domain, { SafeTx: SAFE_TX }, message)));
    const call = SAFE_TX.slice(0, -1).map(({ name }) => message[name as keyof typeof message]);
    return [...call, `0x${signatures.map((signature) => signature.slice(2)).join("")}`];
  }

  return {
    address,
    act: async (to, functionName, args = []) => {
      const [first, , third] = OWNERS;
      await as(safe, thirdParty).execTransaction(...(await sign([first!, third!], to, functionName, args)));
    },
    expectNoShortcut: async (to, functionName, args = []) => {
      const [first] = OWNERS;
      const byOneOwner = await sign([first!], to, functionName, args);
      await expect(as(safe, thirdParty).execTransaction(...byOneOwner)).to.be.revertedWith("GS020");
      const forged = await sign([first!, keyOf("thief")], to, functionName, args);
      await expect(as(safe, thirdParty).execTransaction(...forged)).to.be.revertedWith("GS026");
      await expect(
        to
          .connect(connection.ethers.provider)
          .getFunction(functionName)
          .staticCall(...args, { from: first!.address }),
      ).to.be.revert(connection.ethers);
    },
  };
}
