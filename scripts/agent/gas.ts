/** Gas for an agent: from the development faucet on a local chain, from its owner elsewhere. */
import { formatEther } from "viem";
import type { ArcadeClient } from "../../client/client.ts";
import type { ArcadeWallet } from "../../client/wallet.ts";
import { isLocalChain } from "../../domain/chain-ids.ts";
import { CommandError, EXIT } from "../cli/failures.ts";
import type { AgentContext } from "./context.ts";
import type { StepRunner } from "./steps.ts";

/** Below this balance, a local agent uses the faucet, and any other agent fails. */
const MIN_BALANCE_WEI = { local: 10n ** 16n, public: 1n };

/** Ensures that the wallet can pay for its transactions. */
export async function ensureGas(
  step: StepRunner,
  client: ArcadeClient,
  { publicClient, chainId }: AgentContext,
  wallet: ArcadeWallet,
): Promise<void> {
  const local = isLocalChain(chainId);
  const balance = await publicClient.getBalance({ address: wallet.address });
  if (balance >= (local ? MIN_BALANCE_WEI.local : MIN_BALANCE_WEI.public)) {
    if (!local)
      await step(
        "gas",
        "",
        async () => balance,
        (wei) => ({ message: `${formatEther(wei)} ETH held`, mark: "quiet" }),
      );
    return;
  }
  if (!local) {
    throw new CommandError(`${wallet.address} has no ether for gas on chain ${chainId}.`, {
      exitCode: EXIT.chain,
      next: "send it a little ether (a faucet of the testnet gives some), then run it again",
    });
  }
  await step(
    "gas",
    "using the development faucet",
    async () => {
      const transfer = await client.dev.faucet({ address: wallet.address });
      await wallet.waitForReceipt(transfer.txHash);
      return transfer;
    },
    ({ amount, txHash }) => ({ message: `${formatEther(BigInt(amount))} ETH from the faucet`, txHash }),
  );
}
