// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IGuarded} from "../interfaces/IGuarded.sol";
import {ISignerRotation} from "../interfaces/ISignerRotation.sol";
import {SignerConfig} from "../types/SignerConfig.sol";
import {Guarded} from "./Guarded.sol";

/// @title Signers of a service
/// @notice See `ISignerRotation`.
abstract contract SignerRotation is ISignerRotation, Guarded {
    /// @dev Read only where the first signer does not match.
    struct Alternate {
        address signer;
        bool isContract;
        uint40 validFrom;
    }

    uint40 private immutable SIGNER_DELAY_SECONDS;

    SignerConfig internal _signerConfig;
    Alternate internal _alternate;
    mapping(address account => bool) private _revoked;

    constructor(Duties memory duties) Guarded(duties.admin, duties.adminDelaySeconds, duties.guardian) {
        if (duties.signer == address(0)) revert ZeroAddress();
        SIGNER_DELAY_SECONDS = duties.signerDelaySeconds;
        _signerConfig = _signerConfig.setSigner(duties.signer, duties.signerIsContract);
        emit SignerScheduled(duties.signer, duties.signerIsContract, block.timestamp);
    }

    /// @inheritdoc ISignerRotation
    function scheduleSigner(address account, bool isContract) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (account == address(0)) revert ZeroAddress();
        if (_revoked[account]) revert SignerRevoked(account);
        Alternate memory present = _alternate;
        bool isFirst = account == _signerConfig.signer() && isContract == _signerConfig.signerIsContract();
        if (isFirst || (account == present.signer && isContract == present.isContract)) revert SignerInUse(account);
        if (present.signer != address(0) && present.signer != account) revert AlternateOccupied(present.signer);
        uint40 validFrom = uint40(block.timestamp) + SIGNER_DELAY_SECONDS;
        _alternate = Alternate({signer: account, isContract: isContract, validFrom: validFrom});
        emit SignerScheduled(account, isContract, validFrom);
    }

    /// @inheritdoc ISignerRotation
    function promoteSigner() external onlyRole(DEFAULT_ADMIN_ROLE) {
        Alternate memory next = _alternate;
        if (next.signer == address(0)) revert UnknownSigner(address(0));
        if (block.timestamp < next.validFrom) revert SignerNotYetValid(next.validFrom);
        SignerConfig config = _signerConfig;
        address former = config.signer();
        if (former == address(0) || former == next.signer) {
            delete _alternate;
        } else {
            // The former signer stays accepted beside the new one until it is revoked.
            _alternate = Alternate({signer: former, isContract: config.signerIsContract(), validFrom: next.validFrom});
        }
        _signerConfig = config.setSigner(next.signer, next.isContract);
        emit SignerPromoted(next.signer, former);
    }

    /// @inheritdoc ISignerRotation
    function revokeSigner(address account) external onlyGuardianOrAdmin {
        if (account == address(0)) revert ZeroAddress();
        if (account == _signerConfig.signer()) _signerConfig = _signerConfig.setSigner(address(0), false);
        if (account == _alternate.signer) delete _alternate;
        _revoked[account] = true;
        emit SignerRevocation(account, msg.sender);
    }

    /// @inheritdoc ISignerRotation
    function clearSignerBan(address account) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (!_revoked[account]) revert UnknownSigner(account);
        _revoked[account] = false;
        emit SignerBanCleared(account, msg.sender);
    }

    /// @inheritdoc ISignerRotation
    function signer() external view returns (address account, bool isContract) {
        return (_signerConfig.signer(), _signerConfig.signerIsContract());
    }

    /// @inheritdoc ISignerRotation
    function alternateSigner() external view returns (address account, bool isContract, uint256 validFrom) {
        return (_alternate.signer, _alternate.isContract, _alternate.validFrom);
    }

    /// @inheritdoc ISignerRotation
    function isSigner(address account) external view returns (bool) {
        if (account == address(0)) return false;
        if (account == _signerConfig.signer()) return true;
        return account == _alternate.signer && block.timestamp >= _alternate.validFrom;
    }

    /// @inheritdoc ISignerRotation
    function isRevokedSigner(address account) external view returns (bool) {
        return _revoked[account];
    }

    /// @inheritdoc ISignerRotation
    function signerDelay() external view returns (uint256) {
        return SIGNER_DELAY_SECONDS;
    }

    /// @inheritdoc IGuarded
    function paused() public view override returns (bool) {
        return _signerConfig.paused();
    }

    function _setPaused(bool value) internal virtual override {
        _signerConfig = _signerConfig.setPaused(value);
    }
}
