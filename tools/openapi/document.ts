/** The types of an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0), as far as used. */

/** JSON, such as a JSON Schema (draft 2020-12) or a reference to a component. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The title and the license of the document. */
interface OpenApiInfo {
  readonly title: string
  /** The version of the package, not of OpenAPI. */
  readonly version: string
  /** CommonMark. */
  readonly description: string
  /** `identifier` is an SPDX license id. */
  readonly license: { readonly name: string; readonly identifier: string }
}

/** One method of one path. */
export interface OpenApiOperation {
  /** The name of the service's operation or of the probe. */
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly [string]
  readonly parameters?: readonly JsonObject[]
  readonly requestBody?: JsonObject
  /** The responses by their statuses. */
  readonly responses: Readonly<Record<string, JsonObject>>
  /** Empty if no token is needed, absent if one is. */
  readonly security?: readonly JsonObject[]
}

/**
 * A complete document. It can be serialized as JSON, and shares no object with another document.
 */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: OpenApiInfo
  /** A single server: the path at which the handler is mounted, by default `/`. */
  readonly servers: readonly [{ readonly url: string }]
  readonly security: readonly JsonObject[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  /** The operations by their paths, and by their methods in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: {
    /** The schemas by the names of their TypeScript types, such as `Item` and `ErrorBody`. */
    readonly schemas: Readonly<Record<string, JsonObject>>
    readonly parameters: Readonly<Record<string, JsonObject>>
    readonly headers: Readonly<Record<string, JsonObject>>
    /** The error responses by the names of their statuses in RFC 9110, such as `NotFound`. */
    readonly responses: Readonly<Record<string, JsonObject>>
    readonly securitySchemes: Readonly<Record<string, JsonObject>>
  }
}

/** A kind of component. */
export type ComponentKind = keyof OpenApiDocument['components']

/** Returns the path of a component for a `$ref`. */
export function componentPath(kind: ComponentKind, name: string): string {
  return `#/components/${kind}/${name}`
}

/** Creates a reference to a component. */
export function ref(kind: ComponentKind, name: string): { readonly $ref: string } {
  return { $ref: componentPath(kind, name) }
}
