import { expect } from "chai";
import { TypedDataEncoder, verifyTypedData as verifyWithEthers } from "ethers";
import { hashTypedData, recoverTypedDataAddress } from "viem";
import { TYPED_MESSAGES } from "../../domain/typed-data/messages.ts";
import { renderSigningDocument } from "../../scripts/dev/docs/signing.ts";
import { getExampleSigner, listSigningExamples } from "../../scripts/dev/docs/signing-examples.ts";

describe("show how messages are signed", () => {
  const { address } = getExampleSigner();

  it("has an example of every typed message", () => {
    expect(listSigningExamples().map(({ type }) => type)).to.deep.equal(Object.keys(TYPED_MESSAGES));
  });

  for (const { type, data, digest, domainSeparator, structHash, signature } of listSigningExamples()) {
    it(`${type}: viem and ethers give the same hashes and the same signer`, async () => {
      const { EIP712Domain: _, ...types } = data.types;
      const forEthers = types as unknown as Record<string, { name: string; type: string }[]>;
      expect(TypedDataEncoder.hashDomain(data.domain)).to.equal(domainSeparator);
      expect(TypedDataEncoder.hashStruct(type, forEthers, data.message)).to.equal(structHash);
      expect(TypedDataEncoder.hash(data.domain, forEthers, data.message)).to.equal(digest);
      expect(hashTypedData(data as never)).to.equal(digest);
      expect(verifyWithEthers(data.domain, forEthers, data.message, signature)).to.equal(address);
      expect(await recoverTypedDataAddress({ ...data, signature } as never)).to.equal(address);
      for (const figure of [digest, domainSeparator, structHash, signature])
        expect(renderSigningDocument()).to.include(figure);
    });
  }
});
