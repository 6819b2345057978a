import { parseAbi } from "viem";

/** Roles, pause and signers: the views of every contract with signed calls. */
export const ACCESS_CONTROL_ABI = parseAbi([
  "function defaultAdmin() view returns (address)",
  "function defaultAdminDelay() view returns (uint48)",
  "function pendingDefaultAdmin() view returns (address newAdmin, uint48 schedule)",
  "function DEFAULT_ADMIN_ROLE() view returns (bytes32)",
  "function GUARDIAN_ROLE() view returns (bytes32)",
  "function hasRole(bytes32 role, address account) view returns (bool)",
  "function paused() view returns (bool)",
  "function signer() view returns (address account, bool isContract)",
  "function alternateSigner() view returns (address account, bool isContract, uint256 validFrom)",
  "function isSigner(address account) view returns (bool)",
  "function isRevokedSigner(address account) view returns (bool)",
  "function signerDelay() view returns (uint256)",
  "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)",
]);

export const REWARDS_ABI = parseAbi([
  "function OPERATOR_ROLE() view returns (bytes32)",
  "function hasRole(bytes32 role, address account) view returns (bool)",
  "function caps() view returns (uint256 dailyCap, uint256 weeklyCap)",
  "function getDailyRemaining() view returns (uint256)",
  "function maxScorePerSession() view returns (uint256)",
  "function scoreToTokenRate() view returns (uint256)",
  "function payoutCooldown() view returns (uint256)",
  "function minScore() view returns (uint256)",
  "function maxPayout() view returns (uint256)",
  "function floatBalance() view returns (uint256)",
]);

export const ROYALTY_ABI = parseAbi([
  "function royaltyInfo(uint256 tokenId, uint256 salePrice) view returns (address receiver, uint256 amount)",
]);

export const TOKEN_ABI = parseAbi([
  "function balanceOf(address account) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function decimals() view returns (uint8)",
  "function symbol() view returns (string)",
]);
