/**
 * Factories of handlers for tests, under the names of the library. The strict client of the OpenAPI
 * documents checks every response: a test fails if a response is not as described.
 */

import { afterAll, afterEach } from 'vitest'
import {
  createHttpHandler as createHandler,
  type HttpHandler,
  type HttpHandlerOptions,
} from '../../../src/http.js'
import type { VaultService } from '../../../src/index.js'
import { type HandlerServer, hostileRequests as requests } from '../../../src/testing/hostile.js'
import {
  createTestVault as createVault,
  type TestVault,
  type TestVaultOptions,
} from '../../../src/testing.js'
import { openApiText } from '../../../tools/openapi/documents.js'
import { createStrictClient, type DescribedService, type StrictClient } from './strict-client.js'
import { withDescriptionRoute, withRestrictedProbes, withVersion } from './undescribed-responses.js'

/** The options of a handler that change its responses. */
interface HandlerVariant {
  readonly dialect?: string
  readonly basePath?: string | undefined
  readonly extensions?: boolean | undefined
  readonly openApiDocument?: object | undefined
  readonly hasProbeAccess?: boolean
}

/** The differences of each rejected response, until they are taken. */
const differences: (readonly string[])[] = []
let read = 0
let rejected = 0
const clients = new Map<string, readonly StrictClient[]>()

/**
 * Registers the checks of the current test file. The setup file calls it for each test file, because
 * files share this module.
 */
export function checkResponses(): void {
  read = 0
  rejected = 0
  afterEach(({ task }) => {
    rejected += differences.length
    task.file.meta.responses = { read, rejected }
    failOnDifferences()
  })
  afterAll(failOnDifferences)
}

/** Keeps the errors of tests out of their output. */
const ignoreErrors = { onError: (): void => {} }

/** `createHttpHandler` with checked responses. Without `onError`, errors are not printed. */
export function createHttpHandler(service: VaultService, options: HttpHandlerOptions): HttpHandler {
  return checked(
    createHandler(service, { ...ignoreErrors, ...options }),
    variantOf(service, options),
  )
}

/** `createTestVault` with checked responses. Without `onError`, errors are not printed. */
export async function createTestVault(
  options: TestVaultOptions<undefined> = {},
  httpOptions: Partial<HttpHandlerOptions> = {},
): Promise<TestVault> {
  const vault = await createVault(options, { ...ignoreErrors, ...httpOptions })
  return { ...vault, handler: checked(vault.handler, variantOf(vault.service, httpOptions)) }
}

/** `hostileRequests` with responses that are checked before the mount sends them. */
export const hostileRequests: typeof requests = requests.map(({ name, run }) => ({
  name,
  run: ({ serve }: HandlerServer) =>
    run({ serve: (handler, work) => serve(checked(handler, { extensions: true }), work) }),
}))

function variantOf(
  { dialect }: VaultService,
  { basePath, extensions, openApiDocument, probes }: Partial<HttpHandlerOptions>,
): HandlerVariant {
  const hasProbeAccess = probes !== undefined
  return { dialect: dialect.name, basePath, extensions, openApiDocument, hasProbeAccess }
}

/** Checks the responses of a handler without changing them. */
function checked(handler: HttpHandler, variant: HandlerVariant): HttpHandler {
  return async (request) => {
    const response = await handler(request)
    const found = clientsFor(variant).flatMap((client) => {
      const finding = client.read(request, response)
      const { responseName } = finding
      return finding.differences.map((text) => `${request.method}, ${responseName}: ${text}`)
    })
    read += 1
    if (found.length > 0) differences.push([...new Set(found)])
    return response
  }
}

/**
 * The clients of the dialect's document with extensions and, without extensions, of the one without
 * them.
 */
function clientsFor(variant: HandlerVariant): readonly StrictClient[] {
  const { dialect, basePath = '', extensions = false, openApiDocument, hasProbeAccess } = variant
  const key = JSON.stringify([dialect, basePath, extensions, openApiDocument, hasProbeAccess])
  const found = clients.get(key)
  if (found !== undefined) return found
  const isConnect = dialect === 'connect'
  const texts = isConnect
    ? [openApiText('openapi-connect-extensions.json')]
    : [openApiText('openapi-extensions.json')]
  if (!extensions) texts.push(openApiText(isConnect ? 'openapi-connect.json' : 'openapi.json'))
  const made = texts.map((text) => {
    const document: DescribedService = JSON.parse(text)
    const described =
      openApiDocument === undefined ? document : withDescriptionRoute(document, openApiDocument)
    const restricted = hasProbeAccess ? withRestrictedProbes(described) : described
    return createStrictClient(isConnect ? withVersion(restricted) : restricted, basePath)
  })
  clients.set(key, made)
  return made
}

/** Returns and clears the differences so far. A test whose differences are not taken fails. */
export function takeDifferences(): readonly string[] {
  return differences.splice(0).flat()
}

function failOnDifferences(): void {
  const found = takeDifferences()
  if (found.length > 0)
    throw new Error(
      `responses are not as the OpenAPI document describes them:\n${found.join('\n')}`,
    )
}
