import { parseAbi } from "viem";

/** The calls that deployment tests make on its contracts, written by hand so that a wrong artifact does not pass. */
export const LIFECYCLE_ABI = parseAbi([
  "function scheduleSigner(address account, bool isContract)",
  "function promoteSigner()",
  "function revokeSigner(address account)",
  "function pause()",
  "function unpause()",
  "function beginDefaultAdminTransfer(address newAdmin)",
  "function acceptDefaultAdminTransfer()",
  "function snapshotScoreSigned(address wallet, bytes32 gameId, uint256 score, bytes32 gameSessionHash, uint256 deadline, bytes signature)",
  "function getScorebank(address wallet) view returns (uint256)",
  "function payout(address wallet) returns (uint256)",
  "function mintIdentityWithSignature(address to, bytes32 metadataDigest, uint256 deadline, bytes signature) returns (uint256)",
  "function balanceOf(address account) view returns (uint256)",
]);
