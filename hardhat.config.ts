import { fileURLToPath } from "node:url";
import hardhatToolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import hardhatViem from "@nomicfoundation/hardhat-viem";
import { defineConfig } from "hardhat/config";

// The compiler comes from npm, so that a build needs no download (https://www.npmjs.com/package/solc).
const compiler = { version: "0.8.37", path: fileURLToPath(import.meta.resolve("solc/soljson.js")) };
// One bytecode for every network we deploy to, so nothing newer than what the slowest of them knows.
const settings = { optimizer: { enabled: true, runs: 1_000_000 }, viaIR: true, evmVersion: "cancun" };

/** Runs of each invariant, 400 calls each: few where people wait, more by ARCADE_INVARIANT_RUNS. */
const INVARIANT_RUNS = Number(process.env.ARCADE_INVARIANT_RUNS ?? 4);

export default defineConfig({
  plugins: [hardhatToolbox, hardhatViem],
  solidity: {
    // `npm run deploy -- timelock` deploys it.
    npmFilesToBuild: ["@openzeppelin/contracts/governance/TimelockController.sol"],
    profiles: {
      default: { compilers: [{ ...compiler, settings }] },
      production: { compilers: [{ ...compiler, settings }] },
    },
  },
  paths: {
    sources: ["./contracts", "./test/solidity/mocks"],
    tests: { mocha: "./test/contracts", solidity: "./test/solidity" },
    ignition: "./deploy",
  },
  test: {
    solidity: {
      fuzz: { runs: 256 },
      invariant: { runs: INVARIANT_RUNS, depth: 400, failOnRevert: true },
      fsPermissions: { readWriteFile: [fileURLToPath(new URL("cache/invariant-runs.txt", import.meta.url))] },
    },
  },
  networks: {
    default: { type: "edr-simulated", chainType: "l1" },
  },
});
