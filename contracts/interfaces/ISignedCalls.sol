// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Calls that carry a service's signature
/// @notice What is consumed is always the message, never the signature: a second signature over the same facts gains
/// nothing.
interface ISignedCalls {
    /// @notice The message's time has passed.
    /// @param deadline Unix second until which the message was valid.
    error DeadlineExpired(uint256 deadline);

    /// @notice The message would live longer than the contract allows.
    /// @param deadline Unix second that the message names.
    /// @param latest Unix second that it may name at most.
    error DeadlineTooFar(uint256 deadline, uint256 latest);

    /// @notice No accepted signer made this signature.
    /// @param recovered The account that made it; zero where it is malformed or a contract signs.
    error InvalidSignature(address recovered);

    /// @notice The longest time a deadline may lie ahead, in seconds.
    function MAX_DEADLINE_SECONDS() external view returns (uint256);
}
