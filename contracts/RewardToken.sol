// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title Token that rewards are paid in
/// @notice ERC-20 with permit (ERC-2612). The whole supply is minted once, to the treasury; no function mints more.
contract RewardToken is ERC20, ERC20Permit {
    /// @notice Mints the whole supply.
    /// @param name_ Token name, also the name of its EIP-712 domain.
    /// @param symbol_ Token symbol.
    /// @param supply Base units (18 decimals).
    /// @param treasury Receives the whole supply.
    constructor(
        string memory name_,
        string memory symbol_,
        uint256 supply,
        address treasury
    ) ERC20(name_, symbol_) ERC20Permit(name_) {
        _mint(treasury, supply);
    }
}
