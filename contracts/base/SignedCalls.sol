// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {IGuarded} from "../interfaces/IGuarded.sol";
import {ISignedCalls} from "../interfaces/ISignedCalls.sol";
import {Gate} from "./Gate.sol";
import {Guarded} from "./Guarded.sol";

/// @title Calls that carry a service's signature
/// @dev Checks signer, deadline and pause; what a message may do once is the business of the contract on top.
abstract contract SignedCalls is ISignedCalls, Guarded, EIP712 {
    /// @dev Read only where the first signer does not match.
    struct Alternate {
        address signer;
        bool isContract;
        uint40 validFrom;
    }

    /// @inheritdoc ISignedCalls
    uint256 public constant MAX_DEADLINE_SECONDS = 1 days;

    uint40 private immutable SIGNER_DELAY_SECONDS;

    Gate internal _gate;
    Alternate private _alternate;
    mapping(address account => bool) private _revoked;

    constructor(
        string memory domainName,
        Duties memory duties
    ) EIP712(domainName, "1") Guarded(duties.admin, duties.adminDelaySeconds, duties.guardian) {
        if (duties.signer == address(0)) revert ZeroAddress();
        SIGNER_DELAY_SECONDS = duties.signerDelaySeconds;
        _gate = _gate.withSigner(duties.signer, duties.signerIsContract);
        emit SignerScheduled(duties.signer, duties.signerIsContract, block.timestamp);
    }

    /// @inheritdoc ISignedCalls
    function scheduleSigner(address account, bool isContract) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (account == address(0)) revert ZeroAddress();
        if (_revoked[account]) revert SignerRevoked(account);
        if (account == _gate.signerOf() || account == _alternate.signer) revert SignerInUse(account);
        if (_alternate.signer != address(0)) revert AlternateOccupied(_alternate.signer);
        uint40 validFrom = uint40(block.timestamp) + SIGNER_DELAY_SECONDS;
        _alternate = Alternate({signer: account, isContract: isContract, validFrom: validFrom});
        emit SignerScheduled(account, isContract, validFrom);
    }

    /// @inheritdoc ISignedCalls
    function promoteSigner() external onlyRole(DEFAULT_ADMIN_ROLE) {
        Alternate memory next = _alternate;
        if (next.signer == address(0)) revert UnknownSigner(address(0));
        if (block.timestamp < next.validFrom) revert SignerNotYetValid(next.validFrom);
        Gate gate = _gate;
        address former = gate.signerOf();
        // The former signer stays accepted beside the new one until it is revoked.
        _alternate = Alternate({
            signer: former,
            isContract: gate.signerIsContract(),
            validFrom: former == address(0) ? 0 : next.validFrom
        });
        _gate = gate.withSigner(next.signer, next.isContract);
        emit SignerPromoted(next.signer, former);
    }

    /// @inheritdoc ISignedCalls
    function revokeSigner(address account) external onlyGuardianOrAdmin {
        if (account == address(0)) revert ZeroAddress();
        if (account == _gate.signerOf()) {
            _gate = _gate.withSigner(address(0), false);
        } else if (account == _alternate.signer) {
            delete _alternate;
        } else {
            revert UnknownSigner(account);
        }
        _revoked[account] = true;
        emit SignerRevocation(account, msg.sender);
    }

    /// @inheritdoc ISignedCalls
    function signer() external view returns (address account, bool isContract) {
        return (_gate.signerOf(), _gate.signerIsContract());
    }

    /// @inheritdoc ISignedCalls
    function alternateSigner() external view returns (address account, bool isContract, uint256 validFrom) {
        return (_alternate.signer, _alternate.isContract, _alternate.validFrom);
    }

    /// @inheritdoc ISignedCalls
    function isSigner(address account) external view returns (bool) {
        if (account == address(0)) return false;
        return account == _gate.signerOf() || (account == _alternate.signer && block.timestamp >= _alternate.validFrom);
    }

    /// @inheritdoc ISignedCalls
    function isRevokedSigner(address account) external view returns (bool) {
        return _revoked[account];
    }

    /// @inheritdoc ISignedCalls
    function signerDelay() external view returns (uint256) {
        return SIGNER_DELAY_SECONDS;
    }

    /// @inheritdoc IGuarded
    function paused() public view override returns (bool) {
        return _gate.isPaused();
    }

    function _setPaused(bool value) internal virtual override {
        _gate = _gate.withPaused(value);
    }

    /// @dev Returns the gate it has read, so that the contract on top reads the slot only once.
    function _checkSigned(
        bytes32 structHash,
        uint256 deadline,
        bytes calldata signature
    ) internal view returns (Gate gate) {
        gate = _gate;
        if (gate.isPaused()) revert EnforcedPause();
        _checkDeadline(deadline, MAX_DEADLINE_SECONDS);
        bytes32 digest = _hashTypedDataV4(structHash);
        if (!_isSignedBy(gate.signerOf(), gate.signerIsContract(), digest, signature)) {
            _checkAlternate(digest, signature);
        }
    }

    function _checkDeadline(uint256 deadline, uint256 maxSeconds) internal view {
        if (deadline < block.timestamp) revert DeadlineExpired(deadline);
        unchecked {
            if (deadline - block.timestamp > maxSeconds) revert DeadlineTooFar(deadline, block.timestamp + maxSeconds);
        }
    }

    function _checkAlternate(bytes32 digest, bytes calldata signature) private view {
        Alternate memory next = _alternate;
        if (block.timestamp >= next.validFrom && _isSignedBy(next.signer, next.isContract, digest, signature)) {
            return;
        }
        (address recovered, , ) = ECDSA.tryRecoverCalldata(digest, signature);
        revert InvalidSignature(recovered);
    }

    /// @dev A revoked or absent signer is the zero address, which is also what a malformed signature recovers to.
    function _isSignedBy(
        address account,
        bool isContract,
        bytes32 digest,
        bytes calldata signature
    ) internal view returns (bool) {
        if (account == address(0)) return false;
        if (isContract) return SignatureChecker.isValidERC1271SignatureNowCalldata(account, digest, signature);
        (address recovered, , ) = ECDSA.tryRecoverCalldata(digest, signature);
        return recovered == account;
    }
}
