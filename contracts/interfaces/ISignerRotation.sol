// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Signers of a service
/// @notice One signer and one alternate are accepted at a time, so that a key is replaced without downtime:
/// `scheduleSigner` adds the new key, which counts after `signerDelay` seconds; `promoteSigner` makes it the first;
/// `revokeSigner` ends the old one at once. A revoked signer stays banned until the admin clears the ban.
interface ISignerRotation {
    /// @notice Who holds which power, given to the constructor. The deployer itself never holds any.
    /// @param admin Holder of `DEFAULT_ADMIN_ROLE`.
    /// @param adminDelaySeconds Delay of a transfer of the admin role.
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

    /// @notice The account is banned; the admin may clear the ban with `clearSignerBan`.
    /// @param signer The banned account.
    error SignerRevoked(address signer);

    /// @notice The account already is the first signer or the alternate, in the same way (key or contract).
    /// @param signer The account.
    error SignerInUse(address signer);

    /// @notice The alternate must be promoted or revoked before another account is scheduled.
    /// @param alternate The present alternate.
    error AlternateOccupied(address alternate);

    /// @notice There is no such signer: no alternate to promote, or no ban to clear.
    /// @param signer The account; zero where there is no alternate.
    error UnknownSigner(address signer);

    /// @notice The alternate does not count yet.
    /// @param validFrom Unix second from which it counts.
    error SignerNotYetValid(uint256 validFrom);

    /// @notice A signer was added: the first by the constructor, every other as the alternate.
    /// @param signer The account.
    /// @param isContract True where it is asked by ERC-1271.
    /// @param validFrom Unix second from which it counts.
    event SignerScheduled(address indexed signer, bool isContract, uint256 validFrom);

    /// @notice The alternate became the first signer; the former first signer is the alternate now.
    /// @param signer The new first signer.
    /// @param formerSigner The first signer before; zero where it was revoked.
    event SignerPromoted(address indexed signer, address indexed formerSigner);

    /// @notice An account was banned, and is no longer a signer if it was one.
    /// @param signer The account.
    /// @param by The guardian or the admin.
    event SignerRevocation(address indexed signer, address indexed by);

    /// @notice The ban of an account was cleared. It is no signer until it is scheduled.
    /// @param signer The account.
    /// @param by The admin.
    event SignerBanCleared(address indexed signer, address indexed by);

    /// @notice The first signer; zero after it was revoked without an alternate.
    /// @return account The account.
    /// @return isContract True where it is asked by ERC-1271.
    function signer() external view returns (address account, bool isContract);

    /// @notice The second accepted signer; zero for none.
    /// @return account The account.
    /// @return isContract True where it is asked by ERC-1271.
    /// @return validFrom Unix second from which it counts.
    function alternateSigner() external view returns (address account, bool isContract, uint256 validFrom);

    /// @notice True where `account` is a signer in this block. While the contract is paused, no signature is accepted, but
    /// signers stay signers.
    /// @param account Any account.
    function isSigner(address account) external view returns (bool);

    /// @notice True from `revokeSigner(account)` until the admin clears the ban.
    /// @param account Any account.
    function isRevokedSigner(address account) external view returns (bool);

    /// @notice Seconds a scheduled signer waits before it counts.
    function signerDelay() external view returns (uint256);

    /// @notice Adds a signer beside the first one. Naming a present signer with the other `isContract` corrects it: the
    /// correction waits like a new signer. Admin only.
    /// @param account The new signer.
    /// @param isContract True where it is asked by ERC-1271.
    function scheduleSigner(address account, bool isContract) external;

    /// @notice Swaps first and alternate, once the alternate counts. Both stay accepted. Admin only.
    function promoteSigner() external;

    /// @notice Removes a signer at once and bans the account. Takes any account, so that a key which leaked before it was
    /// scheduled can be banned too. Guardian or admin.
    /// @param account The signer or the leaked key.
    function revokeSigner(address account) external;

    /// @notice Clears the ban of an account, so that a stolen guardian key cannot ban signers for good. Admin only.
    /// @param account The banned account.
    function clearSignerBan(address account) external;
}
