import { fileURLToPath } from "node:url";
import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import hardhatViem from "@nomicfoundation/hardhat-viem";
import { defineConfig } from "hardhat/config";

// The compiler comes from npm, so that a build needs no download (https://www.npmjs.com/package/solc).
const compiler = { version: "0.8.37", path: fileURLToPath(import.meta.resolve("solc/soljson.js")) };
// One bytecode for every network we deploy to, so nothing newer than what the slowest of them knows.
const settings = { optimizer: { enabled: true, runs: 1_000_000 }, viaIR: true, evmVersion: "cancun" };

export default defineConfig({
  plugins: [hardhatToolboxMochaEthers, hardhatViem],
  solidity: {
    profiles: {
      default: { compilers: [{ ...compiler, settings }] },
      production: { compilers: [{ ...compiler, settings }] },
    },
  },
  paths: {
    sources: "./contracts",
    tests: { mocha: "./test/contracts", solidity: "./contracts/test" },
    ignition: "./deploy",
  },
  test: { solidity: { fuzz: { runs: 256 }, invariant: { runs: 24, depth: 96, failOnRevert: true } } },
  networks: {
    default: { type: "edr-simulated", chainType: "l1" },
  },
});
