/** Sends a hostile request to a service of its own, and looks at everything that could have gone wrong. */

import type { HttpHandler, HttpHandlerOptions } from '../../http.js'
import type { VaultServiceOptions } from '../../index.js'
import { assert, assertEqual, type ContractCase } from '../contract-case.js'
import { createFaultyStore, type Fault, type StoreCall } from '../faulty-store.js'
import { type HttpTarget, requestHead, rawRequest } from '../http/client.js'
import { createTestVault, type TestTokens, type TestVault } from '../test-vault.js'
import {
  type ExpectedResponse,
  parseRawResponse,
  type RawResponse,
  assertResponse,
  assertNoSecret,
} from './check-response.js'
import { isUnpolluted, snapshotPrototypes } from './prototype-pollution.js'
import { createSnapshotStore, type SnapshotStore } from './snapshot-store.js'

/** What is tested: a way to put a handler on HTTP. */
export interface HandlerServer {
  /**
   * Runs `work` while the handler is served on a real socket, and then closes it. `origin` is where it listens, with the
   * prefix it is mounted under, such as `http://127.0.0.1:8080/api`. Rejects with what `work` rejects with.
   */
  serve(handler: HttpHandler, work: (origin: string) => Promise<void>): Promise<void>
}

/** What stands wherever a client invents a value; no answer may hold it. */
export const canary = 'SECRET-b7f3'

/**
 * A request, and the answer it must have. In the texts, `{vaultId}`, `{itemId}`, `{smallFileId}`, `{largeFileId}`,
 * `{version}`, `{absent}` (an id that nothing has) and the tokens `{full}`, `{reader}`, `{writer}`, `{stranger}` stand
 * for those of the service that is asked.
 */
export interface HostileRequest extends ExpectedResponse {
  /** What the request is or has, after the words "answers 400 to". */
  readonly name: string
  /** GET if absent. */
  readonly method?: string
  readonly target: string
  /** Whose token is sent; the one who may everything if absent, nobody's if null. */
  readonly as?: keyof TestTokens | null
  /** Further lines of the head; the type and length of a body are said unless they are among them. */
  readonly lines?: readonly string[]
  /** Sent as JSON; none if absent. */
  readonly json?: unknown
  /** Sent as it is, in place of `json`. */
  readonly body?: string | Uint8Array
  /** The client hangs up where the body ends, and waits for no answer. */
  readonly disconnects?: true
  /**
   * Whether Node's parser, a framework or a bridge to `Request` may be the one who refuses: with this status, 400 or 404
   * in its own form, or by closing the connection.
   */
  readonly mayBeRejectedUpstream?: true
  /** The service that is asked; an ordinary one if absent. */
  readonly setup?: ServiceSetup
}

/** How a service is unlike an ordinary one. */
export interface ServiceSetup {
  readonly service?: Partial<VaultServiceOptions>
  readonly http?: Partial<HttpHandlerOptions>
  /** Which calls of the store go wrong once the request comes; none if absent. */
  readonly faultOf?: (call: StoreCall) => Fault
  /** What such calls reject with. */
  readonly error?: unknown
  /** Done before the request; what it answers stands for more names in braces. */
  readonly prepare?: (vault: TestVault, store: SnapshotStore) => Promise<Names>
}

type Names = Readonly<Record<string, string>>

/** The request as a case: it is answered as it must be, without a secret, and leaves nothing behind. */
export function toContractCase(request: HostileRequest): ContractCase<HandlerServer> {
  return {
    name: `answers ${request.disconnects ? 'nothing' : request.status} to ${request.name}`,
    async run({ serve: mount }) {
      const { vault, store, names } = await setUpService(request.setup ?? {})
      const stored = await store.snapshot()
      const prototypes = snapshotPrototypes()
      await mount(vault.handler, async (origin) => {
        const response = parseRawResponse(await sendRequest({ origin, vault }, request, names))
        assertNoSecret(response, secretsToHide(response.status, vault))
        if (!request.disconnects && !isRejectedUpstream(request, response))
          assertResponse(response, expectedResponse(request, names), request.method === 'HEAD')
      })
      if (request.disconnects) await new Promise((resolve) => setTimeout(resolve, 50))
      assertEqual(await store.snapshot(), stored, 'what is stored afterwards')
      assert(isUnpolluted(prototypes), 'nothing is written onto what all objects share')
    },
  }
}

function expectedResponse(request: HostileRequest, names: Names): ExpectedResponse {
  const { message } = request
  return message === undefined ? request : { ...request, message: fillPlaceholders(message, names) }
}

/** Whoever is let in may read what he asked for, but no token. */
function secretsToHide(status: number, { tokens, item }: TestVault): string[] {
  const passwords = item.fields.flatMap(({ id, value }) => (id === 'password' ? [value ?? ''] : []))
  return [...Object.values(tokens), ...(status < 400 ? [] : [canary, ...passwords])]
}

/** Whether somebody in front of the vault has refused the request, where that may be. */
function isRejectedUpstream(
  { mayBeRejectedUpstream: mayBeRejectedUpstream, status: expected }: HostileRequest,
  { status, headers }: RawResponse,
): boolean {
  const isRefused = [0, 400, 404, expected].includes(status)
  return mayBeRejectedUpstream === true && isRefused && !headers.has('x-request-id')
}

async function setUpService({
  service = {},
  http = {},
  faultOf = () => undefined,
  error,
  prepare = async () => ({}),
}: ServiceSetup): Promise<{ vault: TestVault; store: SnapshotStore; names: Names }> {
  const snapshotStore = createSnapshotStore()
  let isReady = false
  const faults = (call: StoreCall): Fault => (isReady ? faultOf(call) : undefined)
  const store = createFaultyStore(snapshotStore, faults, error)
  const vault = await createTestVault({ ...service, store }, http)
  const { tokens, vaultId, item, smallFile, largeFile } = vault
  const names = {
    ...tokens,
    vaultId,
    itemId: item.id,
    version: String(item.version),
    smallFileId: smallFile.id,
    largeFileId: largeFile.id,
    absent: '0'.repeat(26),
    ...(await prepare(vault, snapshotStore)),
  }
  isReady = true
  return { vault, store: snapshotStore, names }
}

/** What came back for the request. */
async function sendRequest(
  mount: HttpTarget,
  {
    method = 'GET',
    target,
    as = 'full',
    lines = [],
    json,
    body,
    disconnects: disconnects,
  }: HostileRequest,
  names: Names,
): ReturnType<typeof rawRequest> {
  const text = body ?? (json === undefined ? undefined : JSON.stringify(json))
  const bytes = typeof text === 'string' ? new TextEncoder().encode(fillPlaceholders(text, names)) : text
  const [start = '', host = ''] = requestHead(mount, method, target)
  const header = [start, host, ...lines]
  if (as !== null) header.push(`authorization: Bearer {${as}}`)
  if (bytes !== undefined && !lines.some((line) => /^content-type:/i.test(line)))
    header.push('content-type: application/json')
  if (bytes !== undefined && !lines.some((line) => /^(?:content-length|transfer-enc)/i.test(line)))
    header.push(`content-length: ${bytes.length}`)
  if (method === 'HEAD') header.push('connection: close')
  const filledHead = header.map((line) => fillPlaceholders(line, names))
  return rawRequest(mount, filledHead, bytes, disconnects)
}

function fillPlaceholders(text: string, names: Names): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole)
}
