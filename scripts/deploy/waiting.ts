import type { WaitingReport } from "../../deploy/public/transactions.ts";
import type { Terminal } from "../cli/terminal.ts";

/** A line for what a step waits for. */
export const createProgressReporter =
  ({ style, print }: Terminal) =>
  ({ step, txHash, seconds, confirmations, neededConfirmations }: WaitingReport): void => {
    const found =
      confirmations === 0 ? "is not in a block yet" : `has ${confirmations} of ${neededConfirmations} confirmations`;
    print(`  ${style.dim("…")} ${step}: ${txHash} ${found} after ${seconds} s`);
  };
