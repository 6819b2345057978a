/**
 * Why a survivor of the mutation run may live; a survivor that is not named here fails the run. The keys are what the
 * run prints: source, place, what stands there, what it became.
 */

const SAME_EMPTY = "writes the empty string over the empty string: only gas";
const ALL_ONES = "one less than all ones is still above every threshold, which have 32 bits";
const NEVER_ZERO = "transfers alone come here, and those always name their sender, who is neither 0 nor 1";
const BEHIND_LENGTH =
  "loads a word that lies behind the length, where every reader stops and every writer writes over it";
const FREE_MEMORY =
  "where in memory the string is built: nothing built before it is read afterwards, and the free pointer moves behind it";
const SAME_WHEN_EQUAL = "where both are equal, either answer is that same number";
const ANSWERED = "where the next thing in memory would be: the string is answered at once";
const ROUNDING = "how many spare bytes lie behind the string in memory";

export const EXPLAINED: { readonly [key: string]: string } = {
  "AgentIdentity.sol _registerOpenly: bytes(agentURI).length != 0 => true": SAME_EMPTY,
  "GameNFT.sol thresholds: type(uint256).max => (type(uint256).max - 1)": ALL_ONES,
  "base/AgentTokens.sol _update: auth != address(0) => true": NEVER_ZERO,
  "base/AgentTokens.sol _update: address(0) => address(1)": NEVER_ZERO,
  "base/DigestUri.sol constructor: gt(length, 0) => 1": BEHIND_LENGTH,
  "base/DigestUri.sol constructor: gt(length, 32) => 1": BEHIND_LENGTH,
  "base/DigestUri.sol constructor: gt(length, 64) => 1": BEHIND_LENGTH,
  "base/DigestUri.sol _initialBase: base := mload(0x40) => ": FREE_MEMORY,
  "base/DigestUri.sol _initialBase: 0x40 => add(0x40, 1)": FREE_MEMORY,
  "base/DigestUri.sol _initialBase: add(base, 0x80) => sub(base, 0x80)": ANSWERED,
  "base/DigestUri.sol _initialBase: 0x80 => add(0x80, 1)": ROUNDING,
  "base/DigestUri.sol _initialDigestUri: uri := mload(0x40) => ": FREE_MEMORY,
  "base/DigestUri.sol _initialDigestUri: 0x40 => add(0x40, 1)": FREE_MEMORY,
  "base/DigestUri.sol _initialDigestUri: 0x1f => add(0x1f, 1)": ROUNDING,
  "base/DigestUri.sol _initialDigestUri: 0x7f => add(0x7f, 1)": ROUNDING,
  "base/PayoutRule.sol _revertFor: daily < weekly => (daily) <= (weekly)": SAME_WHEN_EQUAL,
  "base/PayoutRule.sol _nextPayoutAt: windowEnd > time => (windowEnd) >= (time)": SAME_WHEN_EQUAL,
  "base/WindowWord.sol leftOf: cap > points => (cap) >= (points)": SAME_WHEN_EQUAL,
  "base/PayoutRule.sol SCOREBANK_EMPTY: 1 << 0 => (1) >> (0)": "a shift by nothing",
};
