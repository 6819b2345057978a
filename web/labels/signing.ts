/** The texts of the wallet's pages: signing, the fields of what is signed, and errors. */

export const SIGNING_LABELS = {
  titles: {
    message: "Sign in",
    typedData: "Sign a message",
    transaction: "Send a transaction",
  },
  intro: {
    message: "Your wallet signs this text. It costs nothing and sends nothing.",
    typedData: "Your wallet signs these fields. It costs nothing and sends nothing.",
    transaction: "Your wallet sends this transaction to the chain and pays its gas.",
  },
  introOfSeveral: "Your wallet sends these calls together and pays their gas: either all of them happen or none.",
  callOf: (place: number, count: number, intent: string | null) =>
    `Call ${place} of ${count}${intent === null ? "" : `: ${intent}`}`,
  sale: (token: string, ether: string, until: string) => `You sell ${token} for ${ether} ETH until ${until}`,
  account: "Account",
  contract: "Contract",
  unknownContract: "Not a contract of this service",
  functionName: "Function",
  value: "Value",
  noValue: "0 ETH",
  gas: "Estimated gas",
  gasUnknown: "The node cannot estimate the gas: the transaction would probably fail.",
  arguments: "Arguments",
  noArguments: "None",
  signedByService: "Signed by the service",
  domain: "Domain",
  message: "Message",
  data: "Data",
  accept: { message: "Sign", typedData: "Sign", transaction: "Sign and send" },
  reject: "Cancel",
  rejected: "You did not sign it, so nothing was sent.",
} as const;
