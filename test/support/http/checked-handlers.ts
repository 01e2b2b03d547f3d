/**
 * The makers of handlers that tests use. They are those of the library, under the same names, and every answer of their
 * handlers is read by the strict client of `docs/openapi.json`: a test fails if an answer in it is not as described.
 */

import { readFileSync } from 'node:fs'
import { afterAll, afterEach } from 'vitest'
import {
  createHttpHandler as createHandler,
  createOpenApiDocument,
  type HttpHandler,
  type HttpHandlerOptions,
  type OpenApiDocument,
} from '../../../src/http.js'
import type { VaultService, VaultServiceOptions } from '../../../src/index.js'
import {
  createTestVault as createVault,
  type HandlerServer,
  hostileRequests as requests,
  type TestVault,
} from '../../../src/testing.js'
import { createStrictClient, type DescribedService, type StrictClient } from './strict-client.js'
import { inConnectDialect, withDescriptionRoute } from './undescribed-responses.js'

/** How a handler was made, as far as it decides what the document says of its answers. */
interface Manner {
  readonly dialect?: string
  readonly basePath?: string | undefined
  readonly extensions?: boolean | undefined
  readonly openApiDocument?: OpenApiDocument | undefined
}

const published = readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')
const info = { title: 'Vaults', version: '1' }

/** The faults of each answer that was rejected, until they are taken. */
const faults: (readonly string[])[] = []
let read = 0
let rejected = 0
const clients = new Map<string, readonly StrictClient[]>()

afterEach(({ task }) => {
  rejected += faults.length
  task.file.meta.answers = { read, rejected }
  failOnFaults()
})
afterAll(failOnFaults)

/** `createHttpHandler`, whose answers are checked. */
export function createHttpHandler(service: VaultService, options: HttpHandlerOptions): HttpHandler {
  return checked(createHandler(service, options), mannerOf(service, options))
}

/** `createTestVault`, the answers of whose handler are checked. */
export async function createTestVault(
  options: Partial<VaultServiceOptions> = {},
  httpOptions: Partial<HttpHandlerOptions> = {},
): Promise<TestVault> {
  const vault = await createVault(options, httpOptions)
  return { ...vault, handler: checked(vault.handler, mannerOf(vault.service, httpOptions)) }
}

/** `hostileRequests`, the answers to which are checked before a mount has them. */
export const hostileRequests: typeof requests = requests.map(({ name, run }) => ({
  name,
  run: ({ serve }: HandlerServer) =>
    run({ serve: (handler, work) => serve(checked(handler, { extensions: true }), work) }),
}))

function mannerOf(
  { dialect }: VaultService,
  { basePath, extensions, openApiDocument }: Partial<HttpHandlerOptions>,
): Manner {
  return { dialect: dialect.name, basePath, extensions, openApiDocument }
}

/** The same handler. Its answers are not changed. */
function checked(handler: HttpHandler, manner: Manner): HttpHandler {
  return async (request) => {
    const response = await handler(request)
    const found = clientsFor(manner).flatMap((client) => {
      const { answer, faults } = client.read(request, response)
      return faults.map((fault) => `${request.method}, ${answer}: ${fault}`)
    })
    read += 1
    if (found.length > 0) faults.push([...new Set(found)])
    return response
  }
}

/** The clients of the published document and, where no extensions are offered, of the document without them. */
function clientsFor(manner: Manner): readonly StrictClient[] {
  const { dialect, basePath = '', extensions = false, openApiDocument } = manner
  const key = JSON.stringify([dialect, basePath, extensions, openApiDocument])
  const found = clients.get(key)
  if (found !== undefined) return found
  const texts = [published, ...(extensions ? [] : [JSON.stringify(createOpenApiDocument(info))])]
  const made = texts.map((text) => {
    const document: DescribedService = JSON.parse(text)
    const described =
      openApiDocument === undefined ? document : withDescriptionRoute(document, openApiDocument)
    const spoken = dialect === 'connect' ? inConnectDialect(described) : described
    return createStrictClient(spoken, basePath)
  })
  clients.set(key, made)
  return made
}

/** What was rejected since this was called last; a test whose faults nobody takes fails. */
export function takeFaults(): readonly string[] {
  return faults.splice(0).flat()
}

function failOnFaults(): void {
  const found = takeFaults()
  if (found.length > 0)
    throw new Error(`answers are not as docs/openapi.json describes them:\n${found.join('\n')}`)
}
