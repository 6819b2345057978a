import { SiweMessage } from "siwe";
import { MESSAGE_LIMIT_BYTES, type SignInMessage } from "../domain/auth.ts";
import { ArcadeError } from "../domain/errors.ts";

/** The version's place in the grammar: the line after the URI. */
const VERSION_LINE = /^(URI: \S+\nVersion: )(\S+)$/m;

/** Parses by the ERC-4361 grammar; trailing or unknown text is refused. */
export function parseMessage(text: string): SignInMessage {
  if (Buffer.byteLength(text) > MESSAGE_LIMIT_BYTES) {
    throw new ArcadeError(
      "VALIDATION_FAILED",
      `The message is too long: expected at most ${MESSAGE_LIMIT_BYTES} bytes.`,
      {
        issues: [{ path: "body.message", message: `expected at most ${MESSAGE_LIMIT_BYTES} bytes` }],
      },
    );
  }
  try {
    // The parser knows no version but 1; another one is to be told as a mismatch, not as no message at all.
    const version = VERSION_LINE.exec(text)?.[2] ?? "1";
    const { domain, address, uri, chainId, nonce, issuedAt, expirationTime, notBefore } = new SiweMessage(
      text.replace(VERSION_LINE, (_, before: string) => `${before}1`),
    );
    return {
      domain,
      address,
      uri,
      version,
      chainId,
      nonce,
      issuedAt: issuedAt ?? null,
      expirationTime: expirationTime ?? null,
      notBefore: notBefore ?? null,
    };
  } catch {
    throw new ArcadeError(
      "VALIDATION_FAILED",
      "The message is not an ERC-4361 sign-in message; sign the text that auth/nonce gave, unchanged.",
      {
        issues: [{ path: "body.message", message: "expected an ERC-4361 message" }],
      },
    );
  }
}
