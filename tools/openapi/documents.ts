/** The OpenAPI documents that are published with the package. */

import { readFileSync } from 'node:fs'
import { createOpenApiDocument, type OpenApiOptions } from './create-document.js'

/** The documents by the names of their files, each of which is a subpath of the package. */
export const openApiDocuments = {
  'openapi.json': { dialect: 'contract', extensions: false },
  'openapi-extensions.json': { dialect: 'contract', extensions: true },
  'openapi-connect.json': { dialect: 'connect', extensions: false },
  'openapi-connect-extensions.json': { dialect: 'connect', extensions: true },
} as const satisfies Readonly<Record<string, OpenApiOptions>>

/** The names of the documents. */
export const openApiNames = Object.keys(openApiDocuments) as (keyof typeof openApiDocuments)[]

/** Returns a document as JSON that ends with a line break. */
export function openApiText(name: keyof typeof openApiDocuments): string {
  const document = createOpenApiDocument(readPackageVersion(), openApiDocuments[name])
  return `${JSON.stringify(document, undefined, 2)}\n`
}

function readPackageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(text) as { readonly version: string }
  return version
}
