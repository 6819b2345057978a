/** One wrong line each; the proof must fail on every one of them. */
import type { Change } from "./solidity.ts";

export const INJECTED_BUGS: readonly Change[] = [
  { file: "types/SignerConfig.sol", from: "PAUSED_BIT = 1 << 161", to: "PAUSED_BIT = 1 << 160" },
  {
    file: "types/SignerConfig.sol",
    from: "~(SIGNER_IS_CONTRACT_BIT | type(uint160).max)",
    to: "~SIGNER_IS_CONTRACT_BIT",
  },
  { file: "types/IdentityConfig.sol", from: "BASE_URI_MOVED_BIT = 1 << 162", to: "BASE_URI_MOVED_BIT = 1 << 192" },
  { file: "types/RewardsConfig.sol", from: "((1 << MAX_SCORE_OFFSET) - 1)", to: "(1 << MAX_SCORE_OFFSET)" },
  { file: "types/ScoreAccount.sol", from: "word &= ~(TIME_MASK << LAST_SNAPSHOT_AT_OFFSET);", to: "" },
  { file: "types/ScoreAccount.sol", from: "if (word == 0) word", to: "if (word != 0) word" },
  {
    file: "types/ScoreAccount.sol",
    from: "uint96(ScoreAccount.unwrap(account))",
    to: "uint128(ScoreAccount.unwrap(account))",
  },
  { file: "types/ScoreAccount.sol", from: "(rest - points)", to: "(rest + points)" },
  {
    file: "types/PayoutWindow.sol",
    from: "if (weekOf(before) != weekOf(today))",
    to: "if (weekOf(before) == weekOf(today))",
  },
  { file: "types/PayoutWindow.sol", from: "(points << PAID_THIS_WEEK_OFFSET)", to: "(points << DAILY_CAP_OFFSET)" },
  { file: "types/PayoutWindow.sol", from: "min(dailyLeft(window), weeklyLeft(window))", to: "dailyLeft(window)" },
  { file: "types/PayoutWindow.sol", from: "return a > b ? a - b : 0;", to: "return a - b;" },
  { file: "types/HolderState.sol", from: "PRIMARY_MASK = type(uint104).max", to: "PRIMARY_MASK = type(uint64).max" },
  { file: "types/HolderState.sol", from: "BALANCE_OFFSET = 168", to: "BALANCE_OFFSET = 167" },
  { file: "types/TokenSlot.sol", from: "~uint256(type(uint160).max)", to: "~uint256(type(uint128).max)" },
  { file: "types/GameRecord.sol", from: "if (count < UPGRADES_MASK) ++count;", to: "++count;" },
  { file: "types/GameRecord.sol", from: "MINUTE_MASK = 0x3ffffff", to: "MINUTE_MASK = 0x1ffffff" },
  { file: "types/GameRecord.sol", from: "UPGRADED_AT_OFFSET = 70", to: "UPGRADED_AT_OFFSET = 69" },
  { file: "mixins/DigestUri.sol", from: "letters * 39", to: "letters * 38" },
];
