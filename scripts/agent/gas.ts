/** Gas for an agent: from the development faucet on a local chain, from its owner elsewhere. */
import { formatEther } from "viem";
import type { ArcadeClient } from "../../client/client.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import { CommandError, EXIT } from "../cli/failures.ts";
import { LOCAL_CHAIN_ID, type Place } from "./place.ts";
import type { Steps } from "./steps.ts";

/** Below this an agent asks the development faucet, or tells that it needs gas. */
const ENOUGH_WEI = { local: 10n ** 16n, elsewhere: 1n };
/** Makes sure that the wallet can pay for its transactions. */
export async function ensureGas(step: Steps, client: ArcadeClient, place: Place, wallet: ArcadeWallet): Promise<void> {
  const { publicClient, chainId } = place;
  const local = chainId === LOCAL_CHAIN_ID;
  const balance = await publicClient.getBalance({ address: wallet.address });
  if (balance >= (local ? ENOUGH_WEI.local : ENOUGH_WEI.elsewhere)) {
    if (!local)
      await step(
        "gas",
        "",
        async () => balance,
        (wei) => ({ words: `${formatEther(wei)} ETH held`, mark: "quiet" }),
      );
    return;
  }
  if (!local) {
    throw new CommandError(`${wallet.address} has no gas on chain ${chainId}.`, {
      exitCode: EXIT.chain,
      next: "send it a little ether (a faucet of the testnet gives some), then run it again",
    });
  }
  await step(
    "gas",
    "asking the development faucet",
    async () => {
      const given = await client.dev.faucet({ address: wallet.address });
      await wallet.waitForReceipt(given.txHash);
      return given;
    },
    ({ amount, txHash }) => ({ words: `${formatEther(BigInt(amount))} ETH from the faucet`, txHash }),
  );
}
