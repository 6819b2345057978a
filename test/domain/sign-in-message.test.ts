import { expect } from "chai";
import fc from "fast-check";
import { SiweMessage } from "siwe";
import { getAddress, toHex } from "viem";
import { formatSignInMessage, parseSignInMessage } from "../../domain/sign-in-message.ts";

const bytes = (count: number) => fc.uint8Array({ minLength: count, maxLength: count }).map((array) => toHex(array));
const date = fc.date({ min: new Date("1970-01-01"), max: new Date("2999-12-31"), noInvalidDate: true });
const time = date.map((at) => at.toISOString());
const domain = fc.constantFrom("localhost:3000", "arcade.example", "user:pw@[::1]:80", "a%20b.example", "10.0.0.1");
const uri = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.constantFrom("urn:isbn:0451450523", "http://[::1]/a", "x:", "https://a.example?b#c", "did:key:z6Mk/a//b"),
);
const text = (characters: string) => fc.string({ unit: fc.constantFrom(...characters), maxLength: 40 });
const letters = "abcXYZ019";

const fields = {
  domain,
  address: bytes(20).map((plain) => getAddress(plain)),
  uri,
  version: fc.constant("1"),
  chainId: fc.integer({ min: 1 }),
  nonce: fc.string({ unit: fc.constantFrom(...letters), minLength: 8, maxLength: 40 }),
  issuedAt: time,
};
const optional = {
  scheme: fc.constantFrom("https", "git+ssh"),
  statement: text(`${letters} !#$&'()*+,-./:;=?@[]_~`),
  expirationTime: time,
  notBefore: time,
  requestId: text(`${letters}-._~!$&'()*+,;=:@`),
  resources: fc.array(uri, { maxLength: 3 }),
};
const message = fc
  .record({ ...fields, ...optional }, { requiredKeys: Object.keys(fields) as never })
  .map((record) => new SiweMessage(record as never).prepareMessage());

const parseWithBackend = (given: string): object | null => {
  try {
    const parsed = parseSignInMessage(given);
    // The text of the chain id is kept, so that `01` is reported as a mismatch; siwe reads the number.
    return { ...parsed, chainId: String(Number(parsed.chainId)) };
  } catch {
    return null;
  }
};
const parseWithSiwe = (given: string): object | null => {
  try {
    const {
      scheme = null,
      domain,
      address,
      statement = null,
      uri,
      version,
      chainId,
      nonce,
      ...rest
    } = new SiweMessage(given);
    const { issuedAt = null, expirationTime = null, notBefore = null, requestId = null, resources = null } = rest;
    const times = { issuedAt, expirationTime, notBefore };
    return {
      scheme,
      domain,
      address,
      statement,
      uri,
      version,
      chainId: String(chainId),
      nonce,
      ...times,
      requestId,
      resources,
    };
  } catch {
    return null;
  }
};

/** Forms that wallets may use and siwe does not accept: other line ends, an address in one case. */
const toStrict = (given: string): string =>
  given
    .replaceAll("\r\n", "\n")
    .replace(/\n$/, "")
    .replace(
      /^(.*\n)(0x(?:[0-9a-f]{40}|[0-9A-F]{40}))$/m,
      (_, first, address) => first + getAddress(address.toLowerCase()),
    );

describe("a sign-in message", () => {
  it("is parsed as siwe parses it, with any of its optional parts", () => {
    fc.assert(
      fc.property(message, (given) => {
        expect(parseWithBackend(given)).to.deep.equal(parseWithSiwe(given)).and.not.equal(null);
      }),
      { numRuns: 300 },
    );
  });

  it("is rejected after a change of characters wherever siwe rejects it", () => {
    const unusualText = fc.constantFrom(
      "\n",
      "\r",
      " ",
      "\t",
      "\0",
      "%",
      '"',
      "<",
      "0",
      "Z",
      ":",
      "\n\n",
      "\u2028",
      "é",
      "- ",
    );
    const change = fc.record({ at: fc.nat(600), removed: fc.nat(2), added: fc.oneof(unusualText, fc.constant("")) });
    let read = 0;
    fc.assert(
      fc.property(message, change, (given, { at, removed, added }) => {
        // The numbers of an IPv6 address are not counted: domain and URI are compared with the service's own.
        if (given.includes("[::1]")) return;
        const position = at % (given.length + 1);
        const changed = given.slice(0, position) + added + given.slice(position + removed);
        const backendResult = parseWithBackend(changed);
        if (backendResult === null) return;
        read += 1;
        const siweResult = parseWithSiwe(toStrict(changed));
        // Other versions are parsed, so that they are reported as a mismatch.
        if (siweResult === null && (backendResult as { version: string }).version !== "1") return;
        expect(backendResult, JSON.stringify(changed)).to.deep.equal(siweResult);
      }),
      { numRuns: 800 },
    );
    expect(read).to.be.greaterThan(100);
  });

  it("is rejected with text around it, with days outside the calendar and with a wrong checksum of the address", () => {
    const given = formatSignInMessage({
      origin: "http://localhost:3000",
      address: getAddress(`0x9c${"ce".repeat(19)}`),
      statement: "Sign in.",
      uri: "http://localhost:3000/x",
      chainId: 31337,
      nonce: "a".repeat(32),
      issuedAt: "2026-02-28T00:00:00.000Z",
      expirationTime: "2026-02-28T00:05:00.000Z",
    });
    expect(parseWithBackend(given)).to.deep.equal(parseWithSiwe(given)).and.not.equal(null);
    for (const changed of [
      `${given}\n\n`,
      ` ${given}`,
      `${given}\nURI: http://evil.example`,
      given.replace("02-28T00:00", "02-30T00:00"),
      given.replace("02-28T00:05", "02-29T00:05"),
      given.replace("02-28T00:00", "13-01T00:00"),
      given.replace("T00:00:00.000Z", ""),
      given.replace(/(?<=\n0x..)c/, "C"),
      given.replace("Chain ID: 31337", "Chain ID: 0x7a69"),
      given.replace("Nonce: aaaaaaaa", "Nonce: aaaa-aaaa"),
      given.replaceAll("\n", "\r"),
    ]) {
      expect(parseWithBackend(changed), JSON.stringify(changed)).to.equal(null);
      expect(parseWithSiwe(changed), JSON.stringify(changed)).to.equal(null);
    }
  });

  it("is formatted as siwe formats it", () => {
    fc.assert(
      fc.property(
        fc.record({ ...fields, statement: text(`${letters} .`), expirationTime: time, scheme: fc.constant("https") }),
        (record) => {
          const request = { ...record, origin: `${record.scheme}://${record.domain}` };
          expect(formatSignInMessage(request)).to.equal(new SiweMessage(record as never).prepareMessage());
        },
      ),
      { numRuns: 50 },
    );
  });

  it("is parsed in a time that grows linearly with its length, for any content", () => {
    // At the limit of 2,048 bytes. A backtracking pattern would take years for these.
    for (const part of ["a", "a:", "%20", "@", "a@", "[", "/", "?", "- x:"]) {
      const long = part.repeat(Math.floor(1800 / part.length));
      const first = `${long} wants you to sign in with your Ethereum account:\n0x`;
      const later = `a.b wants you to sign in with your Ethereum account:\n0x${"0".repeat(40)}\n\n\nURI: x://${long}\n\0`;
      for (const given of [first, later]) expect(() => parseSignInMessage(given)).to.throw();
    }
  });
});
