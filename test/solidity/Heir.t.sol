// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC721Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {OwnerSlotERC721} from "../../contracts/mixins/OwnerSlotERC721.sol";
import {IdentityHeir} from "./mocks/IdentityHeir.sol";
import {vm} from "./helpers/Vm.sol";

/// @title Balances, owners and primary identities agree, whichever inherited function a derived contract calls
contract Heir {
    address private constant ALICE = address(0xA11);
    address private constant BOB = address(0xB0B);
    IdentityHeir private _heir;

    function setUp() public {
        vm.warp(2_000_000_000);
        _heir = new IdentityHeir();
    }

    function testMintTransferAndBurn() public {
        _heir.mint(ALICE, 1);
        _heir.mint(ALICE, 2);
        expectWallet(ALICE, 2, 1);
        _heir.setData(1, 7);
        vm.prank(ALICE);
        _heir.transferFrom(ALICE, BOB, 1);
        expectWallet(ALICE, 1, 0);
        expectWallet(BOB, 1, 0);
        assert(_heir.ownerOf(1) == BOB && _heir.tokenData(1) == 7);
        vm.prank(BOB);
        _heir.setPrimaryIdentity(1);
        expectWallet(BOB, 1, 1);
        vm.prank(BOB);
        _heir.approve(ALICE, 1);
        _heir.burn(1);
        expectWallet(BOB, 0, 0);
        assert(_heir.tokenData(1) == 0);
        // The approval of the burnt token is gone, too.
        _heir.mint(BOB, 1);
        assert(_heir.getApproved(1) == address(0));
        expectWallet(BOB, 1, 1);
    }

    function testMintTwiceAndBurnNothing() public {
        _heir.mint(ALICE, 1);
        vm.expectPartialRevert(IERC721Errors.ERC721InvalidSender.selector);
        _heir.mint(BOB, 1);
        vm.expectPartialRevert(IERC721Errors.ERC721NonexistentToken.selector);
        _heir.burn(2);
        expectWallet(ALICE, 1, 1);
        expectWallet(BOB, 0, 0);
    }

    function testIncreaseBalanceIsRefused() public {
        vm.expectPartialRevert(OwnerSlotERC721.BalancesFollowOwners.selector);
        _heir.increaseBalance(ALICE);
    }

    function expectWallet(address wallet, uint256 balance, uint256 primary) private view {
        assert(_heir.balanceOf(wallet) == balance && _heir.primaryIdentity(wallet) == primary);
        assert(_heir.primarySince(wallet) == (primary == 0 ? 0 : block.timestamp));
    }
}
