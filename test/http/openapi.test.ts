import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { ERRORS } from "../../backend/domain/errors.ts";
import { asyncApiDocument } from "../../backend/http/asyncapi.ts";
import { type OpenApiDocument, openApiDocument } from "../../backend/http/openapi.ts";
import { codesOf } from "../../backend/http/openapi-codes.ts";
import { exampleAnswer } from "../../backend/http/openapi-operation.ts";
import { routes } from "../../backend/http/routes/index.ts";

type Json = { readonly [key: string]: unknown };

/** The value that a local reference points to. */
function follow(document: object, ref: string): unknown {
  expect(ref).to.match(/^#\//);
  return ref
    .slice(2)
    .split("/")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, part) => (value as Json | undefined)?.[part], document);
}

/** Every `$ref` of a document. */
function refsOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : refsOf(inner),
  );
}

describe("the OpenAPI document", () => {
  const document: OpenApiDocument = openApiDocument(routes, "http://127.0.0.1:4100");

  it("is valid OpenAPI 3.1 for a public validator", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as Record<string, unknown>);
    expect(valid, JSON.stringify(errors)).to.equal(true);
  });

  it("would be found invalid with a planted fault", async () => {
    const broken = { ...structuredClone(document), paths: { "/x": { get: { responses: 1 } } } };
    expect((await new Validator().validate(broken as Record<string, unknown>)).valid).to.equal(false);
  });

  it("refers to nothing that is missing", () => {
    const refs = new Set(refsOf(document));
    expect(refs.size).to.be.greaterThan(50);
    for (const ref of refs) expect(follow(document, ref), ref).to.be.an("object");
  });

  it("has one operation for each route, with its access, limits and codes", () => {
    for (const route of routes) {
      const operation = document.paths[route.path]![route.method.toLowerCase()]!;
      expect(operation.operationId).to.equal(route.name);
      const security = operation.security as readonly object[];
      const schemes = security.map((choice) => Object.keys(choice)[0] ?? "none");
      expect(schemes, route.name).to.deep.equal(
        {
          public: [],
          optional: ["none", "accessToken"],
          wallet: ["accessToken"],
          player: ["accessToken", "practiceToken"],
        }[route.access],
      );
      expect(operation["x-rate-limits"]).to.deep.equal(route.limits);
      const responses = operation.responses as { readonly [status: string]: { readonly $ref?: string } };
      const told = Object.entries(responses).flatMap(([, { $ref }]) =>
        $ref === undefined
          ? []
          : Object.keys(
              (follow(document, $ref) as { content: { "application/problem+json": { examples: object } } }).content[
                "application/problem+json"
              ].examples,
            ),
      );
      expect(told, route.name).to.have.members([...codesOf(route)]);
      for (const code of codesOf(route)) expect(responses).to.have.property(String(ERRORS[code].status));
    }
    const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
    expect(operations).to.have.length(routes.length);
  });

  it("gives answers as examples that fit the routes' own schemas", () => {
    const faults = routes
      .filter((route) => route.media === undefined)
      .flatMap((route) => {
        const result = route.response.safeParse(exampleAnswer(route));
        return result.success ? [] : [`${route.name}: ${result.error.message}`];
      });
    expect(faults).to.deep.equal([]);
  });

  it("gives requests as examples that fit the routes' own schemas", () => {
    const faults = routes
      .filter((route) => route.body !== undefined)
      .flatMap((route) => {
        const operation = document.paths[route.path]![route.method.toLowerCase()] as {
          requestBody: { content: { "application/json": { example: unknown } } };
        };
        const { example } = operation.requestBody.content["application/json"];
        const result = route.body!.safeParse(example);
        return result.success ? [] : [`${route.name}: ${JSON.stringify(example)}: ${result.error.message}`];
      });
    expect(faults).to.deep.equal([]);
  });
});

describe("the codes of a route", () => {
  const codes = (name: string) => codesOf(routes.find((route) => route.name === name)!);

  it("are its own and those of the doors it stands behind", () => {
    expect(codes("operations.healthz")).to.have.members([
      "BAD_REQUEST",
      "RATE_LIMITED",
      "INTERNAL",
      "STORAGE_BUSY",
      "STORAGE_FULL",
      "SHUTTING_DOWN",
    ]);
    expect(codes("sessions.start")).to.include.members([
      "SNAPSHOT_REQUIRED",
      "BAD_JSON",
      "BODY_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
      "VALIDATION_FAILED",
      "UNKNOWN_FIELD",
      "GAME_NOT_FOUND",
      "TOKEN_INVALID",
      "TOKEN_EXPIRED",
      "IDEMPOTENCY_CONFLICT",
      "IDEMPOTENCY_IN_PROGRESS",
    ]);
    expect(codes("rewards.payout")).to.include.members(["AUTH_REQUIRED", "FORBIDDEN", "IDENTITY_REQUIRED"]);
    expect(codes("sessions.get")).to.include.members(["SESSION_NOT_FOUND", "GAME_NOT_FOUND"]);
    expect(codes("sessions.get")).to.not.include.members(["AUTH_REQUIRED"]);
    expect(codes("sessions.live")).to.include.members(["VALIDATION_FAILED", "UNKNOWN_FIELD"]);
  });
});

describe("the AsyncAPI document", () => {
  const document = asyncApiDocument(["shellrunners", "flappybots"], "ws://127.0.0.1:4100");

  it("has the form of AsyncAPI 3.0", () => {
    expect(document).to.include({ asyncapi: "3.0.0", defaultContentType: "application/json" });
    expect(document).to.have.nested.property("info.title").that.is.a("string");
    expect(document).to.have.nested.property("info.version").that.is.a("string");
    expect(document).to.have.nested.property("servers.arcade.host", "127.0.0.1:4100");
    expect(document).to.have.nested.property("servers.arcade.protocol", "ws");
    const operations = document.operations as { readonly [name: string]: Json };
    for (const operation of Object.values(operations)) {
      expect(operation.action).to.be.oneOf(["send", "receive"]);
      const channel = (operation.channel as { $ref: string }).$ref;
      expect(follow(document, channel)).to.be.an("object");
      for (const { $ref } of operation.messages as readonly { $ref: string }[]) {
        expect($ref.startsWith(`${channel}/messages/`), $ref).to.equal(true);
      }
    }
    for (const [name, channel] of Object.entries(document.channels as { readonly [name: string]: Json })) {
      expect(channel.address).to.equal(`/ws/{slug}/${name}`);
      expect(channel.parameters).to.have.keys(["slug"]);
    }
  });

  it("refers to nothing that is missing", () => {
    const refs = refsOf(document);
    expect(refs).to.not.be.empty;
    for (const ref of refs) expect(follow(document, ref), ref).to.be.an("object");
  });

  it("describes every message that the server validates or sends", async () => {
    const { authMessage, playerMessage, serverMessage } = await import("../../backend/domain/protocol.ts");
    const words = [authMessage, ...playerMessage.options, ...serverMessage.options].map(
      (schema) => (schema.shape.t as { readonly value: string }).value,
    );
    expect(follow(document, "#/components/messages")).to.have.all.keys(words);
  });
});
