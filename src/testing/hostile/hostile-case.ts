/**
 * Runs a hostile request against its own service, and checks the response, the store and the
 * prototypes.
 */

import { assert, assertEqual } from '../../base/contract-case.js'
import { rawRequest, startRequest } from '../../base/raw-request.js'
import { type ParsedResponse, parseRawResponse, type RawResponse } from '../../base/raw-response.js'
import type { HttpHandler, HttpHandlerOptions } from '../../http.js'
import {
  type ContractCase,
  createFaultyStore,
  createTestVault,
  type Fault,
  type HttpTarget,
  type StoreCall,
  type TestTokens,
  type TestVault,
  type TestVaultOptions,
} from '../../testing.js'
import { assertNoSecret, assertResponse, type ExpectedResponse } from './check-response.js'
import { isUnpolluted, snapshotPrototypes } from './prototype-pollution.js'
import { createSnapshotStore, type SnapshotStore } from './snapshot-store.js'

/** The subject of a hostile request: a way to serve a handler over HTTP. */
export interface HandlerServer {
  /**
   * Serves the handler on a real socket while `work` runs, and then closes the socket.
   * @param work Called with scheme, host and port, and the prefix of the mount if any, such as
   * `http://127.0.0.1:8080/api`.
   * @returns A promise that settles like that of `work`.
   */
  serve(handler: HttpHandler, work: (origin: string) => Promise<void>): Promise<void>
}

/** The value of everything that a client can choose. No error response contains it. */
export const canary = 'SECRET-b7f3'

/**
 * A request and the response it must receive. Strings can contain these placeholders for values of
 * the service: `{vaultId}`, `{itemId}`, `{smallFileId}`, `{largeFileId}`, `{version}`, `{absent}`
 * (a valid id that nothing has) and the tokens `{full}`, `{reader}`, `{writer}` and `{otherVault}`.
 */
export interface HostileRequest extends ExpectedResponse {
  /** A noun phrase for the title "returns 400 for …". */
  readonly name: string
  /** Default: GET. */
  readonly method?: string
  readonly target: string
  /** The token to send, or null for no token. Default: `full`. */
  readonly as?: keyof TestTokens | null
  /**
   * More header lines. `content-type` and `content-length` of a body are added unless the lines
   * contain them; `transfer-encoding` counts as a length.
   */
  readonly lines?: readonly string[]
  /** Sent as JSON. By default there is no body. */
  readonly json?: unknown
  /** Sent unchanged, instead of `json`. */
  readonly body?: string | Uint8Array
  /** The client closes the connection after the body and expects no response. */
  readonly disconnects?: true
  /**
   * Node's parser, a framework or a bridge to `Request` can reject this request before the vault
   * receives it: with `status`, 400 or 404 in its own format, or by closing the connection.
   */
  readonly mayBeRejectedUpstream?: true
  /** The service that receives the request. Default: a plain test vault. */
  readonly setup?: ServiceSetup
}

/** How a service differs from a plain test vault. */
export interface ServiceSetup {
  readonly service?: TestVaultOptions<undefined>
  readonly http?: Partial<HttpHandlerOptions>
  /** Selects the store calls that fail while the request is handled. Default: none. */
  readonly faultOf?: (call: StoreCall) => Fault
  /** The error that failing calls reject with. */
  readonly error?: unknown
  /** Runs before the request. Returns more placeholders. */
  readonly prepare?: (vault: TestVault, store: SnapshotStore) => Promise<Placeholders>
}

type Placeholders = Readonly<Record<string, string>>

/** Creates the contract case of a request. */
export function toContractCase(request: HostileRequest): ContractCase<HandlerServer> {
  const { status, name, disconnects = false } = request
  return {
    name: disconnects ? `changes nothing for ${name}` : `returns ${status} for ${name}`,
    async run({ serve }) {
      const { vault, store, placeholders } = await setUpService(request.setup ?? {})
      const stored = await store.snapshot()
      const prototypes = snapshotPrototypes()
      await serve(vault.handler, async (origin) => {
        const raw = await sendRequest({ origin, vault }, request, placeholders)
        const response = parseRawResponse(raw)
        assertNoSecret(response, secretsToHide(response.status, vault))
        if (!disconnects && !isRejectedUpstream(request, response))
          assertResponse(
            response,
            expectedResponse(request, placeholders),
            request.method === 'HEAD',
          )
      })
      // A server that took the partial body for a complete item would have stored it by now, even
      // on a busy machine.
      if (disconnects) await new Promise((resolve) => setTimeout(resolve, 250))
      assertEqual(await store.snapshot(), stored, 'the store afterwards')
      assert(isUnpolluted(prototypes), 'a built-in prototype was changed')
    },
  }
}

async function setUpService({
  service = {},
  http = {},
  faultOf = () => undefined,
  error,
  prepare = async () => ({}),
}: ServiceSetup): Promise<{
  vault: TestVault
  store: SnapshotStore
  placeholders: Placeholders
}> {
  const store = createSnapshotStore()
  let isReady = false
  const faults = (call: StoreCall): Fault => (isReady ? faultOf(call) : undefined)
  const vault = await createTestVault(
    { strict: false, ...service, store: createFaultyStore(store, faults, error) },
    // Many cases make the store fail, and those errors would be printed.
    { onError() {}, ...http },
  )
  const { tokens, vaultId, item, smallFile, largeFile } = vault
  const placeholders = {
    ...tokens,
    vaultId,
    itemId: item.id,
    version: String(item.version),
    smallFileId: smallFile.id,
    largeFileId: largeFile.id,
    absent: '0'.repeat(26),
    ...(await prepare(vault, store)),
  }
  isReady = true
  return { vault, store, placeholders }
}

async function sendRequest(
  mount: HttpTarget,
  { method = 'GET', target, as = 'full', lines = [], json, body, disconnects }: HostileRequest,
  placeholders: Placeholders,
): Promise<RawResponse> {
  const text = body ?? (json === undefined ? undefined : JSON.stringify(json))
  const bytes =
    typeof text === 'string' ? new TextEncoder().encode(fillPlaceholders(text, placeholders)) : text
  const head = [...startRequest(mount, method, target), ...lines]
  if (as !== null) head.push(`authorization: Bearer {${as}}`)
  if (bytes !== undefined && !lines.some((line) => /^content-type:/i.test(line)))
    head.push('content-type: application/json')
  if (bytes !== undefined && !lines.some((line) => /^(?:content-length|transfer-enc)/i.test(line)))
    head.push(`content-length: ${bytes.length}`)
  if (method === 'HEAD') head.push('connection: close')
  return rawRequest(
    mount,
    head.map((line) => fillPlaceholders(line, placeholders)),
    { ...(bytes !== undefined && { body: bytes }), disconnect: disconnects === true },
  )
}

function expectedResponse(request: HostileRequest, placeholders: Placeholders): ExpectedResponse {
  const { message } = request
  if (message === undefined) return request
  return { ...request, message: fillPlaceholders(message, placeholders) }
}

/** A successful response may contain values of the item, but never a token. */
function secretsToHide(status: number, { tokens, item }: TestVault): string[] {
  const passwords = item.fields.flatMap(({ id, value }) => (id === 'password' ? [value ?? ''] : []))
  return [...Object.values(tokens), ...(status < 400 ? [] : [canary, ...passwords])]
}

/** Returns whether the request was rejected before the vault received it, where that is allowed. */
function isRejectedUpstream(
  { mayBeRejectedUpstream, status: expected }: HostileRequest,
  { status, headers }: ParsedResponse,
): boolean {
  const isRejection = [0, 400, 404, expected].includes(status)
  return mayBeRejectedUpstream === true && isRejection && !headers.has('x-request-id')
}

function fillPlaceholders(text: string, placeholders: Placeholders): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => placeholders[name] ?? whole)
}
