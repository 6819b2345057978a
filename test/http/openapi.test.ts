import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { createAsyncApiDocument } from "../../backend/http/openapi/asyncapi.ts";
import { createOpenApiDocument, type OpenApiDocument } from "../../backend/http/openapi/document.ts";
import { getErrorCodes } from "../../backend/http/openapi/error-codes.ts";
import { routes } from "../../backend/http/routes/index.ts";
import type { Route } from "../../backend/http/routing/route.ts";
import { ERRORS } from "../../domain/errors.ts";

type Json = { readonly [key: string]: unknown };

/** The target of a local reference. */
function resolveRef(document: object, ref: string): unknown {
  expect(ref).to.match(/^#\//);
  return ref
    .slice(2)
    .split("/")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, part) => (value as Json | undefined)?.[part], document);
}

/** Every `$ref` of a document. */
function collectRefs(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner] : collectRefs(inner),
  );
}

describe("the OpenAPI document", () => {
  let document: OpenApiDocument;
  before(() => {
    document = createOpenApiDocument(routes, "http://127.0.0.1:4100");
  });

  it("a public validator accepts the document as OpenAPI 3.1", async () => {
    const { valid, errors: invalidExamples } = await new Validator().validate(
      structuredClone(document) as Record<string, unknown>,
    );
    expect(valid, JSON.stringify(invalidExamples)).to.equal(true);
  });

  it("the validator rejects a document with an injected fault", async () => {
    const broken = { ...structuredClone(document), paths: { "/x": { get: { responses: 1 } } } };
    expect((await new Validator().validate(broken as Record<string, unknown>)).valid).to.equal(false);
  });

  it("every reference of the document resolves", () => {
    const refs = new Set(collectRefs(document));
    expect(refs.size).to.be.greaterThan(50);
    for (const ref of refs) expect(resolveRef(document, ref), ref).to.be.an("object");
  });

  it("generators of clients can read every schema", () => {
    const getProperties = (value: unknown): Json[] => {
      if (typeof value !== "object" || value === null) return [];
      const own = "properties" in value && !Array.isArray(value.properties) ? [value.properties as Json] : [];
      return [...own, ...Object.values(value).flatMap(getProperties)];
    };
    const schemas = getProperties(document).flatMap(Object.entries);
    expect(schemas.length).to.be.greaterThan(500);
    for (const [name, schema] of schemas) expect(Array.isArray(schema), name).to.equal(false);
    // orval writes a syntax error for constants beside other properties.
    const { Success } = (document.components as { readonly schemas: Json }).schemas as { readonly Success: Json };
    expect(Success).to.not.have.property("additionalProperties");
  });

  it("the document has one operation for each route, with its access, limits and codes", () => {
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
          admin: ["adminToken"],
        }[route.access],
      );
      expect(operation["x-rate-limits"]).to.deep.equal(route.limits);
      const responses = operation.responses as { readonly [status: string]: { readonly $ref?: string } };
      const documentedCodes = Object.entries(responses).flatMap(([, { $ref }]) =>
        $ref === undefined
          ? []
          : Object.keys(
              (resolveRef(document, $ref) as { content: { "application/problem+json": { examples: object } } }).content[
                "application/problem+json"
              ].examples,
            ),
      );
      expect(documentedCodes, route.name).to.have.members([...getErrorCodes(route)]);
      for (const code of getErrorCodes(route)) expect(responses).to.have.property(String(ERRORS[code].status));
    }
    const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
    expect(operations).to.have.length(routes.length);
  });

  it("a response links to the calls for which it has the identifiers", () => {
    const byName = new Map((routes as readonly Route[]).map((route) => [route.name, route]));
    const linked = new Map<string, string[]>();
    for (const route of byName.values()) {
      const { responses } = document.paths[route.path]![route.method.toLowerCase()] as { readonly responses: Json };
      const { links = {} } = responses[route.statuses?.[0] ?? 200] as {
        readonly links?: { readonly [name: string]: Json };
      };
      const examples = [route.example, ...Object.values(route.otherExamples ?? {})];
      linked.set(route.name, Object.keys(links));
      for (const [name, { parameters, requestBody }] of Object.entries(links)) {
        const fields = [...byName.get(name)!.path.matchAll(/\{(\w+)\}/g)].map(([, field]) => field);
        expect(Object.keys(parameters as Json), name).to.have.members(fields);
        for (const expression of Object.values({ ...(parameters as Json), ...(requestBody as Json) })) {
          const [, path, pointer] = /^\$request\.path\.(\w+)$|^\$response\.body(#.+)$/.exec(String(expression))!;
          const values = examples.map(({ response }) => pointer && resolveRef(response as object, pointer));
          expect(route.path.includes(`{${path}}`) || values.some((value) => typeof value === "string")).to.equal(true);
        }
      }
    }
    expect(linked.get("sessions.start")).to.include.members(["sessions.end", "sessions.playToken", "rewards.snapshot"]);
    expect(linked.get("rewards.payout")).to.deep.equal(["rewards.payoutStatus"]);
    expect(linked.get("auth.nonce")).to.deep.equal(["auth.verify"]);
    // Public reads contain other players' sessions.
    expect(linked.get("sessions.live")).to.include("sessions.get").and.not.include("sessions.end");
    expect(new Set([...linked.values()].flat()).size).to.be.at.least(25);
  });

  it("the document lists the schemas that several routes share", () => {
    const { schemas } = document.components as { readonly schemas: { readonly [name: string]: Json } };
    expect(schemas).to.include.keys([
      "Session",
      "Game",
      "SignedCall",
      "Problem",
      "Profile",
      "Listing",
      "Order",
      "Replay",
    ]);
    const get = (path: string, method = "get") => JSON.stringify(document.paths[path]![method]);
    expect(get("/api/games/{slug}/sessions/{sessionId}")).to.include("#/components/schemas/Session");
    expect(get("/api/market/listings")).to.include("#/components/schemas/ListingPage");
  });
});

describe("the codes of a route", () => {
  const codes = (name: string) => getErrorCodes(routes.find((route) => route.name === name)!);

  it("the codes of a route are its specific ones and those of its request checks", () => {
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
  let document: ReturnType<typeof createAsyncApiDocument>;
  before(() => {
    document = createAsyncApiDocument(["shellrunners", "flappybots"], "ws://127.0.0.1:4100");
  });

  it("the document has the form of AsyncAPI 3.0", () => {
    expect(document).to.include({ asyncapi: "3.0.0", defaultContentType: "application/json" });
    expect(document).to.have.nested.property("info.title").that.is.a("string");
    expect(document).to.have.nested.property("info.version").that.is.a("string");
    expect(document).to.have.nested.property("servers.arcade.host", "127.0.0.1:4100");
    expect(document).to.have.nested.property("servers.arcade.protocol", "ws");
    const operations = document.operations as { readonly [name: string]: Json };
    for (const operation of Object.values(operations)) {
      expect(operation.action).to.be.oneOf(["send", "receive"]);
      const channel = (operation.channel as { $ref: string }).$ref;
      expect(resolveRef(document, channel)).to.be.an("object");
      for (const { $ref } of operation.messages as readonly { $ref: string }[]) {
        expect($ref.startsWith(`${channel}/messages/`), $ref).to.equal(true);
      }
    }
    for (const [name, channel] of Object.entries(document.channels as { readonly [name: string]: Json })) {
      expect(channel.address).to.equal(`/ws/{slug}/${name}`);
      expect(channel.parameters).to.have.keys(["slug"]);
    }
  });

  it("every reference of the document resolves", () => {
    const refs = collectRefs(document);
    expect(refs).to.not.be.empty;
    for (const ref of refs) expect(resolveRef(document, ref), ref).to.be.an("object");
  });

  it("the document describes every message that the server validates or sends", async () => {
    const { authMessage, playerMessage, serverMessage } = await import("../../domain/protocol/messages.ts");
    const messageNames = [authMessage, ...playerMessage.options, ...serverMessage.options].map(
      (schema) => (schema.shape.t as { readonly value: string }).value,
    );
    expect(resolveRef(document, "#/components/messages")).to.have.all.keys(messageNames);
  });
});
