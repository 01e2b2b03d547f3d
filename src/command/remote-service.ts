/** The operations that references need, through the HTTP API of a server. */

import {
  type CallerOperations,
  type CallOptions,
  DecryptionError,
  type FileContent,
  ForbiddenError,
  type Item,
  type ItemSummary,
  NotFoundError,
  type Vault,
  type VaultService,
} from '../index.js'
import { CommandError } from './command-error.js'

/** The operations of a service that references and exports need. */
type ReadOperations = Pick<
  CallerOperations,
  'getVault' | 'listVaults' | 'getItem' | 'getItems' | 'listItems' | 'readFileContent'
>

const timeoutMs = 30_000
const timeoutReason = new DOMException('the server did not respond in time', 'TimeoutError')

/** Returns a service with the operations of {@link createRemoteOperations}. */
export function createRemoteService(host: string, token: string): VaultService {
  const operations = createRemoteOperations(host, token)
  const service: Pick<VaultService, 'as' | 'now'> = {
    as: () => operations as CallerOperations,
    now: () => new Date(),
  }
  return service as VaultService
}

/**
 * Returns operations that read from a server with the Connect API. They work with every such
 * server, because they use no extensions. So each list is requested at once.
 * @param host - The URL of the server.
 * @param name - What the user has set the URL with, for errors.
 */
export function createRemoteOperations(
  host: string,
  token: string,
  name = 'OP_CONNECT_HOST',
): ReadOperations {
  const base = parseHost(host, name)
  /** Returns a response with its headers in time; with `isFile`, its body can take any time. */
  const get = async (path: string, isFile = false): Promise<Response> => {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(timeoutReason), timeoutMs)
    let response: Response
    try {
      response = await fetch(base + path, {
        headers: { authorization: `Bearer ${token}` },
        signal: isFile ? controller.signal : AbortSignal.timeout(timeoutMs),
        // The token must not be sent to another host.
        redirect: 'manual',
      })
    } catch (error) {
      throw connectionError(error, base, name)
    } finally {
      clearTimeout(timer)
    }
    if (response.status === 200) return response
    await response.body?.cancel()
    throw toError(response.status, base)
  }
  const getJson = async <Result>(path: string): Promise<Result> => {
    const response = await get(path)
    const count = Number(response.headers.get('x-cofferkit-unreadable') ?? 0)
    if (count > 0) unreadablePaths.add(path)
    return response.json().catch(() => {
      throw new CommandError(`${base} does not answer with JSON`)
    })
  }
  const unreadablePaths = new Set<string>()
  const lists = new Map<string, Promise<readonly { readonly id: string }[]>>()
  const list = async <Element extends { readonly id: string }>(
    path: string,
    { filter, after, limit = 1000 }: { filter?: string; after?: string; limit?: number },
    { onUnreadable }: CallOptions = {},
  ): Promise<readonly Element[]> => {
    const query = filter === undefined ? '' : `?filter=${encodeURIComponent(filter)}`
    const found = lists.get(path + query) ?? getJson<readonly Element[]>(path + query)
    lists.set(path + query, found)
    const elements = (await found) as readonly Element[]
    // The server does not say which records are damaged.
    if (unreadablePaths.has(path + query))
      onUnreadable?.(new DecryptionError('the server cannot read the item'))
    if (!Array.isArray(elements)) throw new CommandError(`${base} does not answer with a list`)
    const start = after === undefined ? 0 : elements.findIndex(({ id }) => id === after) + 1
    return elements.slice(start, start + limit)
  }
  const itemPath = ({ vaultId, itemId }: { vaultId: string; itemId: string }): string =>
    `/v1/vaults/${vaultId}/items/${itemId}`
  const operations: ReadOperations = {
    getVault: ({ vaultId }) => getJson<Vault>(`/v1/vaults/${vaultId}`),
    listVaults: (input = {}, options) => list<Vault>('/v1/vaults', toPage(input), options),
    getItem: async (ref) => withArrays(await getJson<Item>(itemPath(ref))),
    async getItems({ vaultId, itemIds }) {
      const items: Item[] = []
      for (const itemId of itemIds) {
        try {
          items.push(withArrays(await getJson<Item>(itemPath({ vaultId, itemId }))))
        } catch (error) {
          // The item was deleted after it was listed.
          if (!(error instanceof NotFoundError)) throw error
        }
      }
      return items
    },
    listItems: (input, options) =>
      list<ItemSummary>(`/v1/vaults/${input.vaultId}/items`, toPage(input), options),
    async readFileContent({ fileId, ...ref }): Promise<FileContent> {
      const path = `${itemPath(ref)}/files/${encodeURIComponent(fileId)}/content`
      const response = await get(path, true)
      const content = response.body ?? new Blob().stream()
      const size = Number(response.headers.get('content-length'))
      return { name: fileId, size, content }
    },
  }
  return operations
}

function toPage(input: {
  readonly filter?: string | undefined
  readonly after?: string | undefined
  readonly limit?: number | undefined
}): { filter?: string; after?: string; limit?: number } {
  const { filter, after, limit } = input
  return {
    ...(filter !== undefined && { filter }),
    ...(after !== undefined && { after }),
    ...(limit !== undefined && { limit }),
  }
}

/** Adds the empty lists that servers leave out. */
function withArrays(item: Item): Item {
  const { fields = [], sections = [], files = [], ...rest } = Object(item)
  return { ...rest, fields, sections, files }
}

/** Returns the host without a slash at its end. */
function parseHost(host: string, name: string): string {
  const url = URL.canParse(host) ? new URL(host) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new CommandError(`${name} must be a URL such as http://127.0.0.1:8080`)
  return url.origin + url.pathname.replace(/\/$/, '')
}

function connectionError(error: unknown, base: string, name: string): CommandError {
  const { code = Object(error).name } = Object(Object(error).cause)
  if (code === 'ECONNREFUSED')
    return new CommandError(`${base}: connection refused: is the server running?`)
  if (/^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(String(code)))
    return new CommandError(
      `${base} does not speak https`,
      `If it speaks http, set ${name} to ${base.replace(/^https/, 'http')}`,
    )
  return new CommandError(`${base} does not respond: ${String(code).slice(0, 40)}`)
}

function toError(status: number, base: string): Error {
  if (status === 401)
    return new CommandError(`${base} rejects the token`, 'Set OP_CONNECT_TOKEN to its token.')
  if (status === 404) return new NotFoundError('item not found')
  if (status === 403) return new ForbiddenError('vault is not in scope')
  return new CommandError(`${base} answers with status ${status}`)
}
