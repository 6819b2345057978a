import type { Address, Hex } from "viem";
import { concat, encodeFunctionData, getContractAddress, keccak256, pad, parseAbi, sliceHex, stringToHex } from "viem";

/** CreateX, a factory with the same address on every public network (https://github.com/pcaversaccio/createx). */
export const CREATE_X: Address = "0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed";
export const CREATE_X_CODE_HASH: Hex = "0xbd8a7ea8cfca7b4e5f5041d7d4b17bc317c5ce42cfbc42066a00cf26b43eb53f";

const CREATE_X_ABI = parseAbi(["function deployCreate2(bytes32 salt, bytes initCode) payable returns (address)"]);

/**
 * The salt of a deployment. CreateX lets only the address in the first 20 bytes use it, so no one else can take
 * our addresses; byte 21 makes the address independent of the chain; the rest is the label's hash.
 */
export const createSalt = (deployer: Address, label: string): Hex =>
  concat([deployer, "0x00", sliceHex(keccak256(stringToHex(label)), 0, 11)]).toLowerCase() as Hex;

/** The CreateX address of this code: CREATE2 (EIP-1014) with the salt mixed with its owner. */
export const predictAddress = (deployer: Address, salt: Hex, initCode: Hex): Address =>
  getContractAddress({
    opcode: "CREATE2",
    from: CREATE_X,
    salt: keccak256(concat([pad(deployer, { size: 32 }), salt])),
    bytecode: initCode,
  });

/** Calldata that creates a contract. */
export const encodeDeployCreate2 = (salt: Hex, initCode: Hex): Hex =>
  encodeFunctionData({ abi: CREATE_X_ABI, functionName: "deployCreate2", args: [salt, initCode] });
