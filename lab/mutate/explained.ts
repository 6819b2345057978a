/**
 * Why a survivor of the mutation run may live; a survivor that is not named here fails the run. The keys are what the
 * run prints: source, place, what stands there, what it became.
 */

const SAME_EMPTY = "writes the empty string over the empty string: only gas";
const ALL_ONES = "one less than all ones is still above every threshold, which have 32 bits";
const BEHIND_LENGTH =
  "loads a word that lies behind the length, where every reader stops and every writer writes over it";
const FREE_MEMORY =
  "where in memory the string is built: nothing built before it is read afterwards, and the free pointer moves behind it";
const SAME_WHEN_EQUAL = "where both are equal, either answer is that same number";
const ANSWERED = "where the next thing in memory would be: the string is answered at once";
const ZERO_HAS_NO_BALANCE = "counts for the zero address, whose balance cannot be asked";
const ROUNDING = "how many spare bytes lie behind the string in memory";

const SAME_WORD = "writes and reads again the word that it holds already: only gas";
const NO_APPROVAL_YET = "a token that is minted now has no approval to clear: only gas";
const NO_KEY = "makes a difference for address 1 only, whose key no one has";
const ANY_ORDER = "the larger of two numbers does not depend on their order";
const ASKED_AGAIN = "each condition inside asks for one of the numbers that the smallest is of: only gas";

export const EXPLANATIONS: { readonly [key: string]: string } = {
  "AgentIdentity.sol _registerOpenly: bytes(agentURI).length != 0 => true": SAME_EMPTY,
  "GameNFT.sol thresholds: type(uint256).max => (type(uint256).max - 1)": ALL_ONES,
  "GameNFT.sol _moveBalance: from != address(0) => true": ZERO_HAS_NO_BALANCE,
  "GameNFT.sol _moveBalance: to != address(0) => true": ZERO_HAS_NO_BALANCE,
  "GameNFT.sol _moveBalance: address(0) => address(1)": ZERO_HAS_NO_BALANCE,
  "RewardsV2.sol _creditAll: _wordOf(hash) != word => true": SAME_WORD,
  "RewardsV2.sol payout: 0 => (0 + 1)": "every payout is of one base unit at least",
  "mixins/PayoutRule.sol _waitEnd: from < pauseEnd => (from) <= (pauseEnd)": SAME_WHEN_EQUAL,
  "mixins/AgentMetadata.sol _update: address(0) => address(1)": NO_KEY,
  "mixins/IdentityTokens.sol _moveBalance: from != address(0) => true": ZERO_HAS_NO_BALANCE,
  "mixins/IdentityTokens.sol _moveBalance: to != address(0) => true": ZERO_HAS_NO_BALANCE,
  "mixins/IdentityTokens.sol _moveBalance: address(0) => address(1)": ZERO_HAS_NO_BALANCE,
  "mixins/OwnerSlotERC721.sol _update: from != address(0) => true": NO_APPROVAL_YET,
  "mixins/OwnerSlotERC721.sol _update: address(0) => address(1)": NO_APPROVAL_YET,
  "mixins/PayoutRule.sol _reasons: points < minScore => true": ASKED_AGAIN,
  "mixins/PayoutRule.sol _reasons: points < minScore => (points) <= (minScore)": ASKED_AGAIN,
  "mixins/PayoutRule.sol _revertFor: assert(reasons & (PayoutReasons.DAILY_CAP | PayoutReasons.WEEKLY_CAP) == reasons); => ":
    "states what always holds there: every other reason has reverted before",
  "mixins/PayoutRule.sol _nextPayoutAt: _later(time, _waitEnd(since, window)) => _later(_waitEnd(since, window), time)":
    ANY_ORDER,
  "mixins/PayoutRule.sol _nextPayoutAt: _later(time, (window.day() + 1) * 1 days) => _later((window.day() + 1) * 1 days, time)":
    ANY_ORDER,
  "mixins/PayoutRule.sol _nextPayoutAt: _later(time, ((weekOf(window.day()) + 1) * 7 - 3) * 1 days) => _later(((weekOf(window.day()) + 1) * 7 - 3) * 1 days, time)":
    ANY_ORDER,
  "types/BatchItems.sol hashItems: 0x40 => add(0x40, 1)": FREE_MEMORY,
  "types/BatchItems.sol hashItems: 0x60 => add(0x60, 1)": "copies one byte more, behind the 128 bytes that are hashed",
  "types/BatchItems.sol hashItems: i < items.length => (i) <= (items.length)":
    "writes one hash more, behind those that are hashed and in memory that is not read again",
  "types/PayoutWindow.sol min: a < b => (a) <= (b)": SAME_WHEN_EQUAL,
  "types/PayoutWindow.sol saturatingSub: a > b => (a) >= (b)": SAME_WHEN_EQUAL,
  "types/SignerConfig.sol SIGNER_CONFIG_BITS: 162 => (162 + 1)": "a number for readers, from which nothing is compiled",
  "mixins/DigestUri.sol constructor: gt(length, 0) => 1": BEHIND_LENGTH,
  "mixins/DigestUri.sol constructor: gt(length, 32) => 1": BEHIND_LENGTH,
  "mixins/DigestUri.sol constructor: gt(length, 64) => 1": BEHIND_LENGTH,
  "mixins/DigestUri.sol _initialBase: base := mload(0x40) => ": FREE_MEMORY,
  "mixins/DigestUri.sol _initialBase: 0x40 => add(0x40, 1)": FREE_MEMORY,
  "mixins/DigestUri.sol _initialBase: add(base, 0x80) => sub(base, 0x80)": ANSWERED,
  "mixins/DigestUri.sol _initialBase: 0x80 => add(0x80, 1)": ROUNDING,
  "mixins/DigestUri.sol _initialDigestUri: uri := mload(0x40) => ": FREE_MEMORY,
  "mixins/DigestUri.sol _initialDigestUri: 0x40 => add(0x40, 1)": FREE_MEMORY,
  "mixins/DigestUri.sol _initialDigestUri: 0x1f => add(0x1f, 1)": ROUNDING,
  "mixins/DigestUri.sol _initialDigestUri: 0x7f => add(0x7f, 1)": ROUNDING,
  "mixins/PayoutRule.sol _revertFor: daily < weekly => (daily) <= (weekly)": SAME_WHEN_EQUAL,
  "mixins/PayoutRule.sol _nextPayoutAt: windowEnd > time => (windowEnd) >= (time)": SAME_WHEN_EQUAL,
  "mixins/PayoutRule.sol _later: a > b => (a) >= (b)": SAME_WHEN_EQUAL,
  "mixins/PayoutRule.sol SCOREBANK_EMPTY: 1 << 0 => (1) >> (0)": "a shift by nothing",
};
