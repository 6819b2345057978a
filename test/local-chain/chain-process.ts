import { startLocalChain } from "../../local-chain/local-chain.ts";
import { testAccounts } from "../adapters/chain/accounts.ts";

/** A local chain in a separate process, for tests that kill it. Prints its address and runs until it is stopped. */
const [dataDir = "."] = process.argv.slice(2);
const chain = await startLocalChain({ dataDir, port: 0, whenBusy: "fail", accounts: testAccounts });
console.log(chain.rpcUrl);
