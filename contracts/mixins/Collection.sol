// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {IERC4906} from "@openzeppelin/contracts/interfaces/IERC4906.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {ERC2981} from "@openzeppelin/contracts/token/common/ERC2981.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {ICollection} from "../interfaces/ICollection.sol";
import {IERC7572} from "../interfaces/IERC7572.sol";
import {percentEncode} from "../types/PercentEncoding.sol";
import {Guarded} from "./Guarded.sol";
import {OwnerSlotERC721} from "./OwnerSlotERC721.sol";

/// @title Metadata and royalty of a whole collection (ERC-7572, ERC-2981)
/// @notice See `ICollection`.
abstract contract Collection is ICollection, IERC7572, IERC4906, OwnerSlotERC721, ERC2981, Guarded {
    using Strings for string;

    /// @inheritdoc ICollection
    uint256 public constant MAX_ROYALTY_BASIS_POINTS = 1_000;

    bytes4 private constant ERC4906_INTERFACE_ID = 0x49064906;

    string private _ownContractURI;

    /// @inheritdoc ICollection
    function setContractURI(string calldata newContractURI) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _ownContractURI = newContractURI;
        emit ContractURIUpdated();
    }

    /// @inheritdoc ICollection
    function setRoyalty(address receiver, uint96 basisPoints) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setRoyalty(receiver, basisPoints);
    }

    /// @inheritdoc IERC7572
    function contractURI() external view returns (string memory) {
        if (bytes(_ownContractURI).length != 0) return _ownContractURI;
        string memory json = string.concat(
            '{"name":"',
            name().escapeJSON(),
            '","symbol":"',
            symbol().escapeJSON(),
            '"}'
        );
        return string.concat("data:application/json;charset=utf-8,", percentEncode(bytes(json)));
    }

    /// @inheritdoc IERC165
    function supportsInterface(
        bytes4 interfaceId
    ) public view virtual override(ERC721, ERC2981, IERC165, AccessControlDefaultAdminRules) returns (bool) {
        return
            interfaceId == ERC4906_INTERFACE_ID ||
            interfaceId == type(IERC7572).interfaceId ||
            interfaceId == type(ICollection).interfaceId ||
            ERC721.supportsInterface(interfaceId) ||
            ERC2981.supportsInterface(interfaceId) ||
            AccessControlDefaultAdminRules.supportsInterface(interfaceId);
    }

    function _setRoyalty(address receiver, uint96 basisPoints) internal {
        if (basisPoints > MAX_ROYALTY_BASIS_POINTS) revert RoyaltyTooHigh(basisPoints, MAX_ROYALTY_BASIS_POINTS);
        _setDefaultRoyalty(receiver, basisPoints);
        emit RoyaltySet(receiver, basisPoints);
    }
}
