import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJsonSync } from "ethers";
import { privateKeyToAddress } from "viem/accounts";
import { readSecrets } from "../../backend/config/config.ts";
import { decryptKeyFiles } from "../../backend/config/key-files.ts";
import { decryptKeystore, decryptKeystoreAside } from "../../backend/config/keystore.ts";

const PASSPHRASE = "testpassword";
const KEY = "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d";

/** The test vectors of the Web3 Secret Storage definition (ethereum.org). */
const VECTORS = {
  pbkdf2: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "6087dab2f9fdbbfaddc31a909735c1e6" },
    ciphertext: "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
    kdf: "pbkdf2",
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: "hmac-sha256",
      salt: "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd",
    },
    mac: "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2",
  },
  scrypt: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
    ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
    kdf: "scrypt",
    kdfparams: {
      dklen: 32,
      n: 262144,
      r: 1,
      p: 8,
      salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
    },
    mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
  },
};

describe("an encrypted key file", () => {
  let folder: string;
  let file: string;
  let passphraseFile: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "arcade-keystore-"));
    file = join(folder, "key.json");
    passphraseFile = join(folder, "passphrase");
    const account = { address: privateKeyToAddress(KEY), privateKey: KEY };
    // The cheapest parameters, for a fast test.
    writeFileSync(file, encryptKeystoreJsonSync(account, PASSPHRASE, { scrypt: { N: 1024, r: 8, p: 1 } }));
    writeFileSync(passphraseFile, `${PASSPHRASE}\n`);
  });
  after(() => rmSync(folder, { recursive: true }));

  it("is read according to the definition, with pbkdf2", () => {
    expect(decryptKeystore(JSON.stringify({ crypto: VECTORS.pbkdf2, version: 3 }), PASSPHRASE)).to.equal(KEY);
  });

  it("with scrypt parameters that OpenSSL does not support is rejected with a clear message", () => {
    const text = JSON.stringify({ crypto: VECTORS.scrypt, version: 3 });
    expect(() => decryptKeystore(text, PASSPHRASE)).to.throw("expected a key file whose scrypt has n below 2^(16 r)");
  });

  it("is read if another library has written it", () => {
    const read = (path: string) => readSecrets({ ARCADE_OPERATOR_KEY: `keystore:${path},${passphraseFile}` }).operator;
    expect(read(file)).to.equal(KEY);
  });

  it("is decrypted without blocking a running server, with the same result", async () => {
    let turns = 0;
    let next = setImmediate(function count() {
      turns += 1;
      next = setImmediate(count);
    });
    try {
      const decrypted = decryptKeystoreAside(JSON.stringify({ crypto: VECTORS.pbkdf2, version: 3 }), PASSPHRASE);
      expect(await decrypted).to.equal(KEY);
      const environment = { ARCADE_OPERATOR_KEY: `keystore:${file},${passphraseFile}`, ARCADE_PORT: "1" };
      const turnsBefore = turns;
      expect(turnsBefore, "the thread stood still for pbkdf2").to.be.greaterThan(0);
      expect(await decryptKeyFiles(environment)).to.deep.equal({ ...environment, ARCADE_OPERATOR_KEY: KEY });
      expect(turns, "the thread stood still for scrypt").to.be.greaterThan(turnsBefore);
    } finally {
      clearImmediate(next);
    }
  });

  it("that a running server cannot open is rejected with the same message as at the start", async () => {
    const wrong = join(folder, "wrong-too");
    writeFileSync(wrong, "another passphrase");
    for (const value of [`keystore:${file},${wrong}`, `keystore:${file}`, `keystore:${file}.away,${passphraseFile}`]) {
      const error = await decryptKeyFiles({ ARCADE_OPERATOR_KEY: value }).catch((thrown: Error) => thrown);
      expect((error as Error).message).to.equal(getIssue(value));
    }
  });

  const getIssue = (value: string): string => {
    try {
      readSecrets({ ARCADE_OPERATOR_KEY: value });
    } catch (error) {
      return (error as Error).message;
    }
    return "no issue";
  };

  it("with a wrong passphrase is rejected with a clear message that contains no secret", () => {
    const wrong = join(folder, "wrong");
    writeFileSync(wrong, "another passphrase");
    const issue = getIssue(`keystore:${file},${wrong}`);
    expect(issue).to.include("ARCADE_OPERATOR_KEY: the passphrase does not open the key file");
    for (const secret of ["another passphrase", PASSPHRASE, KEY, wrong, file]) expect(issue).to.not.include(secret);
  });

  it("that is missing, not a key file, or changed is rejected, and the error states which file is wrong", () => {
    expect(getIssue(`keystore:${file}`)).to.include("expected keystore:FILE,PASSPHRASE_FILE");
    expect(getIssue(`keystore:${file}.away,${passphraseFile}`)).to.include("the key file does not exist");
    expect(getIssue(`keystore:${file},${passphraseFile}.away`)).to.include("the file with the passphrase does not");
    expect(getIssue(`keystore:${folder},${passphraseFile}`)).to.include("the key file is a folder");
    expect(getIssue(`@${file}.away`)).to.include("ARCADE_OPERATOR_KEY: the file after @ does not exist");
    expect(getIssue(`@${file}.away`)).to.not.include(file);
    expect(getIssue(`keystore:${passphraseFile},${passphraseFile}`)).to.include("expected an encrypted key file");
    const expensive = { ...VECTORS.scrypt, kdfparams: { ...VECTORS.scrypt.kdfparams, n: 2 ** 30 } };
    expect(() => decryptKeystore(JSON.stringify({ crypto: expensive, version: 3 }), PASSPHRASE)).to.throw(
      "encrypted key file",
    );
    const changed = { ...VECTORS.pbkdf2, ciphertext: `00${VECTORS.pbkdf2.ciphertext.slice(2)}` };
    expect(() => decryptKeystore(JSON.stringify({ crypto: changed, version: 3 }), PASSPHRASE)).to.throw(
      "does not open",
    );
  });
});
