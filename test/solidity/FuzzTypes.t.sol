// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRewardsV2} from "../../contracts/interfaces/IRewardsV2.sol";
import {GameRecord, newGameRecord} from "../../contracts/types/GameRecord.sol";
import {HolderState} from "../../contracts/types/HolderState.sol";
import {IdentityConfig, toIdentityConfig} from "../../contracts/types/IdentityConfig.sol";
import {PayoutWindow} from "../../contracts/types/PayoutWindow.sol";
import {RewardsConfig, toRewardsConfig} from "../../contracts/types/RewardsConfig.sol";
import {ScoreAccount} from "../../contracts/types/ScoreAccount.sol";
import {SignerConfig} from "../../contracts/types/SignerConfig.sol";
import {TokenSlot} from "../../contracts/types/TokenSlot.sol";
import {bound} from "./helpers/Vm.sol";

/// @title The packed words against plain arithmetic, from the bytecode
/// @notice `lab/prove-packed-words` proves the same over all inputs, from the source.
contract FuzzTypes {
    function testFuzzConfig(address account, address next, bool isContract, bool isPaused, uint64 number) public pure {
        SignerConfig config = SignerConfig.wrap(0).setSigner(account, isContract).setPaused(isPaused);
        assert(config.signer() == account && config.signerIsContract() == isContract && config.paused() == isPaused);
        IdentityConfig identity = toIdentityConfig(config).setLastAgentId(number);
        assert(identity.lastAgentId() == number && !identity.baseUriMoved());
        identity = identity.setBaseUriMoved().setLastAgentId(number ^ 1);
        assert(identity.lastAgentId() == number ^ 1 && identity.baseUriMoved());
        RewardsConfig rewards = toRewardsConfig(config).setMaxScorePerSession(number);
        config = rewards.toSignerConfig().setSigner(next, !isContract).setPaused(!isPaused);
        assert(config.signer() == next && config.signerIsContract() != isContract && config.paused() != isPaused);
        assert(toRewardsConfig(config).maxScorePerSession() == number);
        config = identity.toSignerConfig();
        assert(config.signer() == account && config.signerIsContract() == isContract && config.paused() == isPaused);
    }

    function testFuzzAccount(uint64 first, uint64 second, uint256 points, uint40[3] calldata times) public pure {
        uint256 start = bound(times[0], 1, type(uint40).max);
        ScoreAccount account = ScoreAccount.wrap(0).credit(first, start).credit(second, times[1]);
        uint256 bank = uint256(first) + second;
        expectAccount(account, bank, start, 0, times[1]);
        points = bound(points, 0, bank);
        account = account.pay(points, times[2]);
        expectAccount(account, bank - points, start, times[2], times[1]);
        account = account.credit(first, times[2]).pay(0, start);
        IRewardsV2.Account memory read = account.unpack();
        assert(read.scorebank == bank - points + first && read.lastPayoutAt == start && read.snapshots == 3);
    }

    function testFuzzHolder(uint64 primary, uint40 since, uint8 nonces, uint8 count) public pure {
        HolderState holder = HolderState.wrap(0).setPrimary(primary, since);
        for (uint256 i = 0; i < nonces; ++i) holder = holder.incrementNonce();
        for (uint256 i = 0; i <= count; ++i) holder = holder.incrementBalance();
        holder = holder.decrementBalance();
        assert(holder.primaryId() == primary && holder.primarySince() == since);
        assert(holder.mintNonce() == nonces && holder.balance() == count);
        holder = holder.setPrimary(0, 0);
        assert(holder.primaryId() == 0 && holder.primarySince() == 0);
        assert(holder.mintNonce() == nonces && holder.balance() == count);
    }

    function testFuzzToken(address owner, address next, uint96 data) public pure {
        TokenSlot token = TokenSlot.wrap(0).setData(data).setOwner(owner);
        assert(token.owner() == owner && token.data() == data);
        token = token.setOwner(next).setData(~data);
        assert(token.owner() == next && token.data() == ~data);
    }

    function testFuzzRecord(uint32 score, uint32 next, uint40 mintedAt, uint40 upgradedAt) public pure {
        // 26 bits of minutes last until the year 2097.
        (mintedAt, upgradedAt) = (mintedAt % (60 << 26), upgradedAt % (60 << 26));
        GameRecord record = newGameRecord(score, mintedAt);
        assert(record.score() == score && record.upgrades() == 0 && record.upgradedAt() == 0);
        assert(record.mintedAt() == mintedAt - (mintedAt % 60));
        record = record.upgrade(next, upgradedAt);
        assert(record.score() == next && record.upgrades() == 1);
        assert(
            record.mintedAt() == mintedAt - (mintedAt % 60) && record.upgradedAt() == upgradedAt - (upgradedAt % 60)
        );
        record = record.annul();
        assert(record.score() == 0 && record.upgrades() == 1);
        assert(
            record.mintedAt() == mintedAt - (mintedAt % 60) && record.upgradedAt() == upgradedAt - (upgradedAt % 60)
        );
    }

    /// @dev The count of upgrades stays where it is full.
    function testRecordCountsUpTo4095() public pure {
        GameRecord record = newGameRecord(1, 60);
        for (uint256 i = 1; i <= 4_096; ++i) record = record.upgrade(i + 1, 60 * i);
        assert(record.upgrades() == 4_095 && record.score() == 4_097 && record.mintedAt() == 60);
    }

    function testFuzzWindow(
        uint40 daily,
        uint40 weekly,
        uint40 most,
        uint256 spending,
        uint16 day,
        uint16 step
    ) public pure {
        PayoutWindow window = PayoutWindow.wrap(0).setCaps(daily, weekly).setMaxPayout(most).onDay(day);
        uint256 left = daily < weekly ? daily : weekly;
        assert(window.payableNow() == (most < left ? most : left) && window.maxPayout() == most);
        spending = bound(spending, 0, window.payableNow());
        window = window.spend(spending);
        assert(
            window.dailyLeft() == daily - spending && window.weeklyLeft() == weekly - spending && window.day() == day
        );
        uint256 then = uint256(day) + (step % 16);
        PayoutWindow next = window.onDay(then);
        assert(next.dailyLeft() == (then == day ? daily - spending : daily) && next.day() == then);
        assert(next.weeklyLeft() == (mondayBefore(then) == mondayBefore(day) ? weekly - spending : weekly));
        assert(next.dailyCap() == daily && next.weeklyCap() == weekly && next.maxPayout() == most && !next.paused());
        next = next.pause().setCaps(weekly, daily).setMaxPayout(daily);
        assert(next.paused() && next.dailyCap() == weekly && next.weeklyCap() == daily && next.day() == then);
        assert(next.maxPayout() == daily && next.resumedAt() == type(uint32).max);
        // A cap below what was paid leaves nothing.
        assert(window.setCaps(0, 0).dailyLeft() == 0 && window.setCaps(0, 0).weeklyLeft() == 0);
    }

    function testFuzzPause(uint40 most, uint16 day, uint32 first, uint32 then) public pure {
        PayoutWindow window = PayoutWindow.wrap(0).setMaxPayout(most).onDay(day).resume(first).pause().resume(then);
        assert(window.resumedAt() == then && window.maxPayout() == most && window.day() == day);
        assert(window.paused() == (then == type(uint32).max));
    }

    /// @dev 1970-01-01 was a Thursday, so 1969-12-29 a Monday: day -3.
    function mondayBefore(uint256 day) private pure returns (int256) {
        int256 sinceMonday = (int256(day) + 3) % 7;
        return int256(day) - sinceMonday;
    }

    function expectAccount(ScoreAccount word, uint256 bank, uint256 first, uint256 paidAt, uint256 last) private pure {
        IRewardsV2.Account memory account = word.unpack();
        assert(account.scorebank == bank && word.scorebank() == bank);
        assert(account.firstPlayAt == first && word.firstPlayAt() == first);
        assert(account.lastPayoutAt == paidAt && word.lastPayoutAt() == paidAt);
        assert(account.lastSnapshotAt == last && account.snapshots == 2);
    }
}
