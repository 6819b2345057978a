// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Calls that carry a service's signature
/// @notice One signer and one alternate are accepted at a time, so that a key is replaced without downtime:
/// `scheduleSigner` adds the new key, which counts after `signerDelay` seconds; `promoteSigner` makes it the first;
/// `revokeSigner` ends the old one at once and for ever.
/// What is consumed is always the message, never the signature: a second signature over the same facts gains nothing.
interface ISignedCalls {
    /// @notice Who holds which power, given to the constructor. The deployer itself never holds any.
    /// @param admin Holder of `DEFAULT_ADMIN_ROLE`.
    /// @param adminDelaySeconds Delay of a hand-over of the admin role.
    /// @param guardian First holder of `GUARDIAN_ROLE`; zero for none.
    /// @param signer The key (or contract) whose signatures count.
    /// @param signerIsContract True where `signer` is asked by ERC-1271; false where it is recovered (also for EIP-7702).
    /// @param signerDelaySeconds How long a new signer waits before it counts: at least a day in production.
    struct Duties {
        address admin;
        uint48 adminDelaySeconds;
        address guardian;
        address signer;
        bool signerIsContract;
        uint40 signerDelaySeconds;
    }

    /// @notice The message's time has passed.
    error DeadlineExpired(uint256 deadline);

    /// @notice The message would live longer than the contract allows.
    error DeadlineTooFar(uint256 deadline, uint256 latest);

    /// @notice No accepted signer made this signature. `recovered` is zero where it is malformed or a contract signs.
    error InvalidSignature(address recovered);

    /// @notice The signer was revoked before and can never be added again.
    error SignerRevoked(address signer);

    /// @notice The signer is already first or alternate.
    error SignerInUse(address signer);

    /// @notice The alternate must be promoted or revoked before another one is scheduled.
    error AlternateOccupied(address alternate);

    /// @notice The address is neither first signer nor alternate.
    error UnknownSigner(address signer);

    /// @notice The alternate does not count yet.
    error SignerNotYetValid(uint256 validFrom);

    event SignerScheduled(address indexed signer, bool isContract, uint256 validFrom);
    event SignerPromoted(address indexed signer, address indexed formerSigner);
    event SignerRevocation(address indexed signer, address indexed by);

    /// @notice The longest time a deadline may lie ahead, in seconds.
    function MAX_DEADLINE_SECONDS() external view returns (uint256);

    /// @notice The first signer; zero after it was revoked without an alternate.
    function signer() external view returns (address account, bool isContract);

    /// @notice The second accepted signer and the unix second it counts from; zero for none.
    function alternateSigner() external view returns (address account, bool isContract, uint256 validFrom);

    /// @notice True where a signature of `account` would be accepted in this block.
    function isSigner(address account) external view returns (bool);

    /// @notice True for ever after `revokeSigner(account)`.
    function isRevokedSigner(address account) external view returns (bool);

    /// @notice Seconds a scheduled signer waits before it counts.
    function signerDelay() external view returns (uint256);

    /// @notice Adds a signer beside the first one. Admin only.
    function scheduleSigner(address account, bool isContract) external;

    /// @notice Swaps first and alternate, once the alternate counts. Both stay accepted. Admin only.
    function promoteSigner() external;

    /// @notice Ends a signer at once, for ever. Guardian or admin.
    function revokeSigner(address account) external;
}
