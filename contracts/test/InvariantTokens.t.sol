// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {GameNFTUnderTest, IdentityUnderTest} from "./helpers/UnderTest.sol";
import {IGameNFT} from "../interfaces/IGameNFT.sol";
import {Invariant} from "./helpers/Invariant.sol";
import {TokensHandler} from "./helpers/TokensHandler.sol";

/// @title What holds of identities and game tokens whatever anybody does
contract InvariantTokens is Invariant {
    TokensHandler private _handler;
    IdentityUnderTest private _identity;
    GameNFTUnderTest private _nft;

    function setUp() public {
        _handler = new TokensHandler();
        (address identity, address nft) = _handler.contracts();
        (_identity, _nft) = (IdentityUnderTest(identity), GameNFTUnderTest(nft));
        targetContract(address(_handler));
    }

    function invariantPrimaryIdentityIsOwned() public view {
        for (uint256 i = 0; i < _handler.ACTORS(); ++i) {
            address wallet = _handler.actor(i);
            uint256 primary = _identity.primaryIdentity(wallet);
            if (primary != 0) assert(_identity.ownerOf(primary) == wallet);
        }
    }

    function invariantBalancesCountOwners() public view {
        assert(_identity.totalSupply() == _handler.minted());
        for (uint256 i = 0; i < _handler.ACTORS(); ++i) {
            address wallet = _handler.actor(i);
            uint256 owned = 0;
            for (uint256 id = 1; id <= _handler.minted(); ++id) if (_identity.ownerOf(id) == wallet) ++owned;
            assert(_identity.balanceOf(wallet) == owned);
            assert(_identity.mintNonces(wallet) == _handler.nonces(wallet));
        }
    }

    function invariantTierFollowsTheBestScore() public view {
        for (uint256 id = 0; id < _handler.AGENTS(); ++id) {
            IGameNFT.Record memory record = _nft.recordOf(id);
            assert(record.score == _handler.bestScore(id));
            assert(record.tier == _nft.tierOf(record.score) && (record.tier != 0) == (record.mintedAt != 0));
        }
    }
}
