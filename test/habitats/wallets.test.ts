/** The messages and signatures that wallets with a key produce, and the service's answers. */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { expect } from "chai";
import { type Hex, hashTypedData, keccak256, numberToHex, stringToHex } from "viem";
import { withStore } from "../../testing/ended-session.ts";
import { useTestStack } from "../helpers/suite.ts";
import { type Account, createAccount, signIn } from "./sign-in.ts";

const setIssuedAt = (change: (time: string) => string) => (message: string) =>
  message.replace(/(?<=Issued At: )\S+/, change);

/** Messages that are accepted although they differ from the service's. */
const ACCEPTED_MESSAGES: { readonly [name: string]: (message: string, address: string) => string } = {
  "a lower-case address": (message, address) => message.replace(address, address.toLowerCase()),
  "an upper-case address": (message, address) => message.replace(address, `0x${address.slice(2).toUpperCase()}`),
  "CRLF line ends": (message) => message.replaceAll("\n", "\r\n"),
  "a line end at the end": (message) => `${message}\n`,
  "CRLF line ends and one at the end": (message) => `${message.replaceAll("\n", "\r\n")}\r\n`,
  "a time without seconds": setIssuedAt((time) => time.replace(/:\d\d\.\d+Z/, "Z")),
  "a time without milliseconds": setIssuedAt((time) => time.replace(/\.\d+Z/, "Z")),
  "a time with nanoseconds": setIssuedAt((time) => time.replace("Z", "456789Z")),
  "a time with the offset +00:00": setIssuedAt((time) => time.replace("Z", "+00:00")),
  "a time with lower-case letters": setIssuedAt((time) => time.toLowerCase()),
  "no scheme before the domain": (message) => message.replace(/^https?:\/\//, ""),
};

const REFUSED_MESSAGES: readonly (readonly [
  name: string,
  field: string,
  edit: (message: string, address: string) => string,
])[] = [
  ["an address with a wrong checksum", "address", (text, address) => text.replace(address, flipCase(address))],
  ["an address of another form", "address", (text, address) => text.replace(address, address.slice(2))],
  ["a statement of two lines", "statement", (text) => text.replace(/(Sign in .*)\n/, "$1\nmore\n")],
  ["a statement with other letters", "statement", (text) => text.replace("Sign in", "Sïgn in")],
  ["no empty line before the statement", "address", (text) => text.replace(/\n\nSign/, "\nSign")],
  ["no line for the version", "Version", (text) => text.replace(/Version: 1\n/, "")],
  ["fields in another order", "Version", (text) => text.replace(/(Version: 1)\n(Chain ID: \d+)/, "$2\n$1")],
  ["a chain id in hex", "Chain ID", (text) => text.replace("Chain ID: 31337", "Chain ID: 0x7a69")],
  ["a nonce with a hyphen", "Nonce", (text) => text.replace(/Nonce: ..../, "$&-")],
  ["a time without an offset", "Issued At", setIssuedAt((time) => time.replace("Z", ""))],
  ["a time with a space", "Issued At", setIssuedAt((time) => time.replace("T", " "))],
  ["a day that does not exist", "Issued At", setIssuedAt((time) => time.replace(/-\d\d-\d\dT/, "-02-30T"))],
  ["a time as a number", "Issued At", setIssuedAt((time) => String(Date.parse(time)))],
  ["text after the last field", "end", (text) => `${text}\nI also give you everything I own.`],
  ["two line ends at the end", "end", (text) => `${text}\n\n`],
  ["a field twice", "end", (text) => `${text}\nURI: http://evil.example`],
  ["text before the first line", "first line", (text) => `Hello.\n${text}`],
  ["a space at the end of the first line", "first line", (text) => text.replace("account:", "account: ")],
  ["only one line", "first line", () => "sign me in"],
  ["a byte order mark", "first line", (text) => `\ufeff${text}`],
  ["its bytes in hex", "first line", (text) => stringToHex(text)],
  ["\\n instead of line ends", "first line", (text) => text.replaceAll("\n", "\\n")],
  ["a space that cannot be broken", "statement", (text) => text.replace("Sign in", "Sign\u00a0in")],
  ["no empty lines", "address", (text) => text.replace(/\n+/g, "\n")],
  ["the end after the nonce", "Issued At", (text) => text.replace(/\nIssued At.*$/s, "")],
];

const flipCase = (address: string): string =>
  `0x${[...address.slice(2)].map((digit) => (digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase())).join("")}`;

const toParts = (signature: Hex) => ({
  r: signature.slice(2, 66),
  s: BigInt(`0x${signature.slice(66, 130)}`),
  v: Number.parseInt(signature.slice(130), 16),
});
const withV = (signature: Hex, v: number): Hex => `${signature.slice(0, 130)}${v.toString(16).padStart(2, "0")}` as Hex;
/** The 64 bytes of EIP-2098. */
const toCompact = (signature: Hex): Hex => {
  const { r, s, v } = toParts(signature);
  return `0x${r}${numberToHex(s | (BigInt(v - 27) << 255n), { size: 32 }).slice(2)}`;
};
const toHighS = (signature: Hex): Hex => {
  const { r, s, v } = toParts(signature);
  return withV(`0x${r}${numberToHex(secp256k1.Point.Fn.ORDER - s, { size: 32 }).slice(2)}00`, v === 27 ? 28 : 27);
};

/** Other accepted forms of a key's signature. */
const ACCEPTED_FORMS: { readonly [name: string]: (signature: Hex) => Hex } = {
  "v of 27 or 28": (signature) => signature,
  "v of 0 or 1": (signature) => withV(signature, toParts(signature).v - 27),
  "64 bytes (EIP-2098)": toCompact,
  "upper-case digits": (signature) => `0x${signature.slice(2).toUpperCase()}`,
  "digits without 0x (HexBytes.hex() of Python)": (signature) => signature.slice(2) as Hex,
  "upper-case digits of 64 bytes": (signature) => `0x${toCompact(signature).slice(2).toUpperCase()}`,
};

/** Rejected signatures, with their errors. */
const REFUSED_SIGNATURES: readonly (readonly [
  name: string,
  text: RegExp,
  sign: (account: Account, message: string) => Promise<Hex>,
])[] = [
  ["no bytes", /an empty one, as a Safe gives; .*keys only/, async () => "0x"],
  ["v of a transaction", /v 38, expected 0, 1, 27 or 28/, signWith((signature) => withV(signature, 38))],
  [
    "v of a Safe's owner",
    /by an owner for a Safe \(v 3[12]\); .*keys only/,
    signWith((signature) => withV(signature, 31)),
  ],
  ["a high s", /a high s: give the order minus s/, signWith(toHighS)],
  ["nothing but zeros", /v 0|numbers that no key gives/, async () => `0x${"00".repeat(65)}`],
  ["96 bytes", /96 bytes; .*keys only/, async () => `0x${"11".repeat(96)}`],
  ["the suffix of ERC-6492", /not deployed \(ERC-6492\); .*keys only/, async () => `0x11${"6492".repeat(16)}`],
  [
    "no prefix (eth_sign)",
    /without the prefix of EIP-191 \(eth_sign\); use personal_sign/,
    async (account, message) => account.sign({ hash: keccak256(stringToHex(message)) }),
  ],
  [
    "the message's hex digits",
    /hex digits; give personal_sign the text itself/,
    async (account, message) => account.signMessage({ message: stringToHex(message) }),
  ],
  [
    "the message's hash",
    /the text's hash; sign the text itself/,
    async (account, message) => account.signMessage({ message: { raw: keccak256(stringToHex(message)) } }),
  ],
  [
    "other line ends than the message",
    /other line ends; send exactly the text that was signed/,
    async (account, message) => account.signMessage({ message: message.replaceAll("\n", "\r\n") }),
  ],
];

function signWith(change: (signature: Hex) => Hex) {
  return async (account: Account, message: string): Promise<Hex> => change(await account.signMessage({ message }));
}

describe("messages and signatures of wallets", () => {
  const stack = useTestStack();

  for (const [name, edit] of Object.entries(ACCEPTED_MESSAGES))
    it(`a message with ${name} signs in`, async () => {
      const account = createAccount();
      const { status, body } = await signIn(
        stack,
        account.address,
        (message) => account.signMessage({ message }),
        (message) => edit(message, account.address),
      );
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.walletAddress).to.equal(account.address);
    });

  for (const [name, field, edit] of REFUSED_MESSAGES)
    it(`a message with ${name} is rejected for its ${field}`, async () => {
      const account = createAccount();
      const { body } = await signIn(
        stack,
        account.address,
        (message) => account.signMessage({ message }),
        (message) => edit(message, account.address),
      );
      expect(body).to.include({ code: "MESSAGE_MISMATCH", field });
      expect(body.error).to.include(`The message's ${field}: expected `).and.include(", received ");
      expect(body.error).to.not.include("a different line");
    });

  for (const [name, change] of Object.entries(ACCEPTED_FORMS))
    it(`a signature with ${name} signs in`, async () => {
      const account = createAccount();
      const { status, body } = await signIn(stack, account.address, (message) => signWith(change)(account, message));
      expect(status, JSON.stringify(body)).to.equal(200);
    });

  for (const [name, text, sign] of REFUSED_SIGNATURES)
    it(`a signature of ${name} is rejected with advice`, async () => {
      const account = createAccount();
      const { body } = await signIn(stack, account.address, (message) => sign(account, message));
      expect(body).to.include({ code: "SIGNATURE_INVALID", expected: account.address });
      expect(body.error).to.match(text);
    });

  it("a contract wallet is told why its owner's signature is rejected", async () => {
    const [owner, wallet] = [createAccount(), createAccount()];
    await stack.chain.request("hardhat_setCode", [wallet.address, "0x00"]);
    const { body } = await signIn(stack, wallet.address, (message) => owner.signMessage({ message }));
    expect(body).to.include({ code: "SIGNATURE_INVALID", received: owner.address });
    expect(body.error).to.match(/The wallet has a contract, and this service accepts .*keys only \(ARCADE_AUTH_ALLOW/);
  });

  describe("of a ballot", () => {
    const vote = async (sign: (account: Account, typedData: never) => Promise<Hex>) => {
      const account = createAccount();
      const ballot = { walletAddress: account.address, gameSlug: "demo-tidepool", voteSource: "human" };
      const { body } = await stack.request("POST", "/api/voting/nonce", { body: ballot });
      const signature = await sign(account, body.typedData as never);
      return stack.request("POST", "/api/voting/vote", { body: { ...ballot, nonce: body.nonce, signature } });
    };

    for (const [name, change] of Object.entries(ACCEPTED_FORMS))
      it(`with ${name} is counted`, async () => {
        const { status, body } = await vote(async (account, typedData) =>
          change(await account.signTypedData(typedData)),
        );
        expect(status, JSON.stringify(body)).to.equal(200);
      });

    it("is published in the form that every library recovers", async () => {
      const page = { page: 1, limit: 50 };
      const { items } = await withStore(stack, (store) => store.voting.listBallots("demo-tidepool", page));
      expect(items).to.have.length(Object.keys(ACCEPTED_FORMS).length);
      for (const { signature } of items) expect(signature).to.match(/^0x[0-9a-f]{128}1[bc]$/);
    });

    it("signed as a message is rejected with advice", async () => {
      const { body } = await vote((account, typedData) =>
        account.signMessage({ message: { raw: hashTypedData(typedData) } }),
      );
      expect(body).to.include({ code: "SIGNATURE_INVALID" });
      expect(body.error).to.include("personal_sign); use eth_signTypedData_v4");
    });
  });
});
