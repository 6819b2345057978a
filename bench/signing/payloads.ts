/** Payloads as the service signs and checks them, a different one for each number. */
import { makeTypedData, type TypedData } from "../../backend/domain/typed-data.ts";

const place = { chainId: 31337, verifyingContract: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;
const wallet = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const word = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;
const score = (n: number) => ({ gameSessionHash: word(n), gameId: word(7), score: String(n) });

export const PAYLOADS: { readonly [what: string]: (n: number) => TypedData } = {
  Snapshot: (n) => makeTypedData("Snapshot", place, { wallet, ...score(n), deadline: "1999999999" }),
  "SnapshotBatch of 10": (n) => {
    const items = Array.from({ length: 10 }, (_, i) => score(n + i));
    return makeTypedData("SnapshotBatch", place, { wallet, items, deadline: "1999999999" });
  },
  Vote: (n) =>
    makeTypedData(
      "Vote",
      { chainId: place.chainId },
      { walletAddress: wallet, gameSlug: "tidepool", voteSource: "ai_agent", nonce: word(n).slice(34), cycleId: "3" },
    ),
};

/** The payloads of a kind made ahead, so that making them is charged to no side. */
export function prepare<T>(make: (n: number) => T, count = 4096): (n: number) => T {
  const all = Array.from({ length: count }, (_, n) => make(n));
  return (n) => all[n % count]!;
}
