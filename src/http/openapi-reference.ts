/** Names the place of a component in an OpenAPI document. */

import type { OpenApiDocument } from './openapi-document.js'

/** A kind of component. */
export type ComponentKind = keyof OpenApiDocument['components']

/** The place, as `$ref` has it. */
export function placeOf(kind: ComponentKind, name: string): string {
  return `#/components/${kind}/${name}`
}

/** A reference to the component. */
export function referenceTo(kind: ComponentKind, name: string): { readonly $ref: string } {
  return { $ref: placeOf(kind, name) }
}
