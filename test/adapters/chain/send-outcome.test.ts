import { expect } from "chai";
import { RpcRequestError } from "viem";
import { classifySendError } from "../../../backend/adapters/chain/transaction-manager/send-outcome.ts";

/** Nodes' answers to a transaction that they reject, from their sources and from providers. */
const TEXTS = {
  accepted: [
    "already known",
    "AlreadyKnown",
    "ALREADY_EXISTS: already known",
    "known transaction: 0x1234",
    "transaction already imported",
    "Transaction with the same hash was already imported.",
    "INTERNAL_ERROR: existing tx with same hash",
    "tx already in mempool",
    "transaction already exists in the pool",
  ],
  "nonce-used": [
    "nonce too low: next nonce 7, tx nonce 5",
    "OldNonce, Current nonce: 7, nonce of rejected tx: 5",
    "Transaction nonce is too low. Try incrementing the nonce.",
  ],
  underpriced: [
    "replacement transaction underpriced",
    "transaction underpriced: tip needed 1000000, tip permitted 1",
    "transaction gas price below minimum: gas tip cap 1, minimum needed 1000000",
    "max fee per gas less than block base fee: address 0x1234, maxFeePerGas: 1, baseFee: 2",
    "INTERNAL_ERROR: could not replace existing tx",
    "FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 2",
    "FeeTooLowToCompete",
    "ReplacementNotAllowed",
    "Gas price below configured minimum gas price",
    "gasPrice is less than the current BaseFee",
  ],
  refused: ["insufficient funds for gas * price + value: balance 1", "txpool is full", "InsufficientFunds", "NonceGap"],
} as const;

describe("a node's answer to a transaction that it rejects", () => {
  for (const [kind, texts] of Object.entries(TEXTS))
    for (const message of texts)
      it(`is ${kind}: ${message}`, () => {
        const error = new RpcRequestError({ body: {}, error: { code: -32_000, message }, url: "http://node" });
        expect(classifySendError(error)?.kind).to.equal(kind);
      });

  it("is none when the error is not the node's", () => {
    expect(classifySendError(new Error("already known"))).to.equal(null);
  });
});
