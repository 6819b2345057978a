// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {GameNFTUnderTest, IdentityUnderTest} from "./helpers/UnderTest.sol";
import {IGameNFT} from "../../contracts/interfaces/IGameNFT.sol";
import {Invariant} from "./helpers/Invariant.sol";
import {TokensHandler} from "./helpers/TokensHandler.sol";

/// @title Invariants of identities and game tokens under random sequences of calls
contract InvariantTokens is Invariant {
    TokensHandler private _handler;
    IdentityUnderTest private _identity;
    GameNFTUnderTest private _nft;

    function setUp() public {
        _handler = TokensHandler(createHandler("TokensHandler.sol:TokensHandler"));
        (address identity, address nft) = _handler.contracts();
        (_identity, _nft) = (IdentityUnderTest(identity), GameNFTUnderTest(nft));
        targetContract(address(_handler));
    }

    function invariantPrimaryIdentityIsOwned() public view {
        for (uint256 i = 0; i < _handler.ACTORS(); ++i) {
            address wallet = _handler.actor(i);
            (uint256 agentId, uint256 since) = _identity.primary(wallet);
            assert(agentId == _handler.primaryOf(wallet) && since == _handler.sinceOf(wallet));
            assert(_identity.primaryIdentity(wallet) == agentId && _identity.primarySince(wallet) == since);
            if (agentId != 0) assert(_identity.ownerOf(agentId) == wallet);
        }
    }

    function invariantBalancesCountOwners() public view {
        assert(_identity.totalSupply() == _handler.minted());
        for (uint256 i = 0; i < _handler.ACTORS(); ++i) {
            address wallet = _handler.actor(i);
            uint256 owned = 0;
            uint256 tokens = 0;
            for (uint256 id = 1; id <= _handler.minted(); ++id) {
                if (_identity.ownerOf(id) == wallet) ++owned;
                if (_handler.hasToken(id) && _nft.ownerOf(id) == wallet) ++tokens;
            }
            assert(_identity.balanceOf(wallet) == owned && _nft.balanceOf(wallet) == tokens);
            assert(_identity.mintNonces(wallet) == _handler.nonces(wallet));
        }
    }

    function invariantTierFollowsTheBestScore() public view {
        for (uint256 id = 0; id <= _handler.minted() + 1; ++id) {
            IGameNFT.Record memory record = _nft.recordOf(id);
            assert(record.score == _handler.bestScore(id));
            assert(record.tier == _nft.tierOf(record.score) && (record.mintedAt != 0) == _handler.hasToken(id));
        }
    }

    /// @dev The test runner calls this at the end of each run.
    function afterInvariant() public {
        reportRun("upgrades", _handler.upgrades());
    }
}
