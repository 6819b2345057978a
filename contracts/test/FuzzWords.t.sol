// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccountWord} from "../base/AccountWord.sol";
import {Gate} from "../base/Gate.sol";
import {HolderWord} from "../base/HolderWord.sol";
import {WindowWord} from "../base/WindowWord.sol";
import {IRewardsV2} from "../interfaces/IRewardsV2.sol";
import {bound} from "./helpers/Vm.sol";

/// @title The packed words against plain arithmetic
contract FuzzWords {
    function testFuzzGate(address signer, address next, bool isContract, bool isPaused, uint64 number) public pure {
        Gate gate = Gate.wrap(0).withNumber(number).withSigner(signer, isContract).withPaused(isPaused);
        assert(gate.signerOf() == signer && gate.signerIsContract() == isContract && gate.isPaused() == isPaused);
        assert(gate.numberOf() == number && !gate.hasFlag());
        gate = gate.withFlag().withSigner(next, !isContract).withPaused(!isPaused).withNumber(number ^ 1);
        assert(gate.signerOf() == next && gate.signerIsContract() != isContract && gate.isPaused() != isPaused);
        assert(gate.numberOf() == number ^ 1 && gate.hasFlag());
    }

    function testFuzzAccount(uint64 first, uint64 second, uint40 start, uint40 later, uint40 paidAt) public pure {
        start = uint40(bound(start, 1, type(uint40).max));
        AccountWord word = AccountWord.wrap(0).credited(first, start).credited(second, later);
        expectAccount(word, uint256(first) + second, start, 0, later);
        expectAccount(word.paid(paidAt), 0, start, paidAt, later);
        word = word.paid(paidAt).credited(first, later).paid(start);
        IRewardsV2.Account memory account = word.unpack();
        assert(account.scorebank == 0 && account.lastPayoutAt == start && account.snapshots == 3);
    }

    function testFuzzHolder(uint64 primary, uint32 nonces, uint8 count) public pure {
        HolderWord word = HolderWord.wrap(0);
        count = uint8(bound(count, 1, 20));
        for (uint256 i = 0; i < nonces % 16; ++i) word = word.withNextNonce();
        for (uint256 i = 1; i <= count; ++i) word = word.received(i);
        assert(word.primaryOf() == 1 && word.balanceIn() == count && word.nonceOf() == nonces % 16);
        word = word.withPrimary(primary);
        assert(word.primaryOf() == primary && word.balanceIn() == count && word.nonceOf() == nonces % 16);
        word = word.given(primary);
        assert(word.primaryOf() == 0 && word.balanceIn() == count - 1 && word.nonceOf() == nonces % 16);
    }

    function testFuzzWindow(uint48 daily, uint48 weekly, uint256 spending, uint16 day, uint16 days_) public pure {
        WindowWord word = WindowWord.wrap(0).withCaps(daily, weekly).on(day);
        uint256 most = daily < weekly ? daily : weekly;
        spending = bound(spending, 0, most);
        word = word.spent(spending);
        assert(word.dailyLeft() == daily - spending && word.weeklyLeft() == weekly - spending && word.dayOf() == day);
        uint256 then = uint256(day) + (days_ % 16);
        WindowWord next = word.on(then);
        assert(next.dailyLeft() == (then == day ? daily - spending : daily) && next.dayOf() == then);
        assert(next.weeklyLeft() == (mondayOf(then) == mondayOf(day) ? weekly - spending : weekly));
        assert(next.dailyCapOf() == daily && next.weeklyCapOf() == weekly && !next.isClosed());
        next = next.closed(true).withCaps(weekly, daily);
        assert(next.isClosed() && next.dailyCapOf() == weekly && next.weeklyCapOf() == daily && next.dayOf() == then);
        assert(!next.closed(false).isClosed());
        // A cap below what was paid leaves nothing.
        assert(word.withCaps(0, 0).dailyLeft() == 0 && word.withCaps(0, 0).weeklyLeft() == 0);
    }

    /// @dev 1970-01-01 was a Thursday, so 1969-12-29 a Monday: day -3.
    function mondayOf(uint256 day) private pure returns (int256) {
        int256 sinceMonday = (int256(day) + 3) % 7;
        return int256(day) - sinceMonday;
    }

    function expectAccount(AccountWord word, uint256 bank, uint256 first, uint256 paidAt, uint256 last) private pure {
        IRewardsV2.Account memory account = word.unpack();
        assert(account.scorebank == bank && word.bankOf() == bank);
        assert(account.firstPlayAt == first && word.firstOf() == first);
        assert(account.lastPayoutAt == paidAt && word.paidAtOf() == paidAt);
        assert(account.lastSnapshotAt == last && account.snapshots == 2);
    }
}
