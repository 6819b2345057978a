// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {ISignedCalls} from "../interfaces/ISignedCalls.sol";
import {SignerConfig} from "../types/SignerConfig.sol";
import {SignerRotation} from "./SignerRotation.sol";

/// @title Calls that carry a service's signature
/// @notice See `ISignedCalls`.
/// @dev Checks pause, deadline and signer (EIP-712). The inheriting contract makes sure that a message counts once.
abstract contract SignedCalls is ISignedCalls, SignerRotation, EIP712 {
    /// @inheritdoc ISignedCalls
    uint256 public constant MAX_DEADLINE_SECONDS = 1 days;

    constructor(string memory domainName, Duties memory duties) EIP712(domainName, "1") SignerRotation(duties) {}

    /// @dev Returns the configuration it has read, so that the caller does not read the slot again.
    function _checkSigned(
        bytes32 structHash,
        uint256 deadline,
        bytes calldata signature
    ) internal view returns (SignerConfig config) {
        config = _signerConfig;
        if (config.paused()) revert EnforcedPause();
        _checkDeadline(deadline, MAX_DEADLINE_SECONDS);
        bytes32 digest = _hashTypedDataV4(structHash);
        address recovered = _recover(digest, signature);
        if (_isSignedBy(config.signer(), config.signerIsContract(), recovered, digest, signature)) return config;
        Alternate memory next = _alternate;
        if (
            block.timestamp < next.validFrom || !_isSignedBy(next.signer, next.isContract, recovered, digest, signature)
        ) revert InvalidSignature(recovered);
    }

    function _checkDeadline(uint256 deadline, uint256 maxSeconds) internal view {
        if (deadline < block.timestamp) revert DeadlineExpired(deadline);
        unchecked {
            if (deadline - block.timestamp > maxSeconds) revert DeadlineTooFar(deadline, block.timestamp + maxSeconds);
        }
    }

    /// @dev Whether a wallet signed. Both ECDSA and ERC-1271 are tried: a delegated wallet (EIP-7702) has code and still
    /// signs with its key.
    function _isSignedByWallet(address wallet, bytes32 digest, bytes calldata signature) internal view returns (bool) {
        return
            wallet != address(0) &&
            (_recover(digest, signature) == wallet ||
                SignatureChecker.isValidERC1271SignatureNowCalldata(wallet, digest, signature));
    }

    /// @dev Zero where the signature is malformed.
    function _recover(bytes32 digest, bytes calldata signature) private pure returns (address recovered) {
        (recovered, , ) = ECDSA.tryRecoverCalldata(digest, signature);
    }

    /// @dev A revoked or absent signer is the zero address, which is also what a malformed signature recovers to.
    function _isSignedBy(
        address account,
        bool isContract,
        address recovered,
        bytes32 digest,
        bytes calldata signature
    ) private view returns (bool) {
        if (account == address(0)) return false;
        if (!isContract) return recovered == account;
        return SignatureChecker.isValidERC1271SignatureNowCalldata(account, digest, signature);
    }
}
