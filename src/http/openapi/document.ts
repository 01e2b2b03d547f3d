/** The parts of an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0) that this library makes. */

/** JSON, such as a JSON Schema (draft 2020-12) or a reference to a component. */
export type JsonObject = Readonly<Record<string, unknown>>

/** What is said of the service as a whole; it stands in the document as it was given. */
export interface OpenApiInfo {
  readonly title: string
  /** The version of the service that is described, not of OpenAPI. */
  readonly version: string
  /** CommonMark. */
  readonly description?: string
  /** `identifier` is of SPDX; at most one of it and `url`. */
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
}

/** One method of one path. */
export interface OpenApiOperation {
  /** The name of the service's operation, or of the probe. */
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly [string]
  readonly parameters?: readonly JsonObject[]
  readonly requestBody?: JsonObject
  /** Status -> response. */
  readonly responses: Readonly<Record<string, JsonObject>>
  /** Empty where no token is needed; absent where one is. */
  readonly security?: readonly JsonObject[]
}

/** A whole document. It is JSON: `JSON.stringify` writes it, and nothing in it is shared with another document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: OpenApiInfo
  /** One: where the handler is mounted. */
  readonly servers: readonly [{ readonly url: string }]
  readonly security: readonly JsonObject[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** Path -> method in lower case -> operation. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: {
    /** Shapes by the names of their TypeScript types, such as `Item`, `ItemDraft` and `ErrorBody`. */
    readonly schemas: Readonly<Record<string, JsonObject>>
    readonly parameters: Readonly<Record<string, JsonObject>>
    readonly headers: Readonly<Record<string, JsonObject>>
    /** Answers to errors, by the names that RFC 9110 gives their statuses, such as `NotFound`. */
    readonly responses: Readonly<Record<string, JsonObject>>
    readonly securitySchemes: Readonly<Record<string, JsonObject>>
  }
}

/** A kind of component. */
export type ComponentKind = keyof OpenApiDocument['components']

/** The place, as `$ref` has it. */
export function componentPath(kind: ComponentKind, name: string): string {
  return `#/components/${kind}/${name}`
}

/** A reference to the component. */
export function ref(kind: ComponentKind, name: string): { readonly $ref: string } {
  return { $ref: componentPath(kind, name) }
}
