import { Interface } from "ethers";
import { artifacts } from "hardhat";

/** ERC-165: what an interface is called by, the exclusive or of its functions' selectors. */
export async function interfaceIdOf(name: string): Promise<string> {
  const { abi } = await artifacts.readArtifact(name);
  let id = 0n;
  new Interface(abi).forEachFunction(({ selector }) => {
    id ^= BigInt(selector);
  });
  return `0x${id.toString(16).padStart(8, "0")}`;
}
