/** Programs that use the server over HTTP, and remember what it has acknowledged. */

import { randomBytes } from 'node:crypto'
import { createSeededRandom } from '../support/seeded-random.js'

/** An acknowledged item. */
export interface Acknowledged {
  readonly vaultId: string
  readonly itemId: string
  readonly fileId: string | undefined
  readonly content: Buffer
  /** The values that were sent, oldest first. */
  readonly values: string[]
  /** The index of the last value that was acknowledged or read. No earlier one may come back. */
  latest: number
}

/** A request that was not answered with 2xx. */
interface FailedRequest {
  readonly method: string
  readonly path: string
  readonly status: number | string
}

/** Where the programs send their requests, and with which token. */
export interface Target {
  origin: string
  readonly token: string
  readonly vaultIds: readonly string[]
}

/** Sends a request. @throws Error if there is no response. */
export function send(
  { origin, token }: Pick<Target, 'origin' | 'token'>,
  method: string,
  path: string,
  body?: object | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const isFile = Buffer.isBuffer(body)
  const type = isFile ? 'application/octet-stream' : 'application/json'
  return fetch(origin + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': type }),
      ...headers,
    },
    body: isFile ? new Uint8Array(body) : (JSON.stringify(body) ?? null),
  })
}

/** Programs that write until they are stopped. */
export interface Writers {
  readonly failures: readonly FailedRequest[]
  /** Returns the number of requests so far. */
  count(): number
  /** Resolves when every program has its last response. */
  stop(): Promise<void>
}

/**
 * Starts programs that create, patch and read items and files, and add what was acknowledged to
 * `journal`. A program that gets no response, or another one than 2xx, goes on.
 */
export function startWriters(target: Target, journal: Acknowledged[], programs = 2): Writers {
  const failures: FailedRequest[] = []
  let requests = 0
  let isStopped = false
  const request = async (method: string, path: string, body?: object | Buffer) => {
    requests++
    const response = await send(target, method, path, body).catch(String)
    if (typeof response !== 'string' && response.ok) return response
    const status = typeof response === 'string' ? response : response.status
    failures.push({ method, path, status })
    return undefined
  }
  const write = async (seed: number): Promise<void> => {
    const random = createSeededRandom(seed)
    const own: Acknowledged[] = []
    while (!isStopped) {
      const known = own.length === 0 || random.percent(30) ? undefined : random.pick(own)
      if (known === undefined) {
        const created = await createItem(request, random.pick(target.vaultIds), random.percent(20))
        if (created !== undefined) own.push(created)
        if (created !== undefined) journal.push(created)
      } else if (random.percent(50)) await request('GET', pathOf(known))
      else await changeItem(request, known)
    }
  }
  const running = Array.from({ length: programs }, (_, index) => write(journal.length + index + 1))
  return {
    failures,
    count: () => requests,
    async stop() {
      isStopped = true
      await Promise.all(running)
    },
  }
}

/** Creates items until there are this many. @throws Error if a request fails. */
export async function fill(target: Target, journal: Acknowledged[], count: number): Promise<void> {
  const request: SendRequest = async (method, path, body) => {
    const response = await send(target, method, path, body)
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
    return response
  }
  const create = async (lane: number): Promise<void> => {
    for (let index = lane; index < count; index += 4) {
      const vaultId = target.vaultIds[index % target.vaultIds.length] ?? ''
      const created = await createItem(request, vaultId, index % 5 === 0)
      if (created === undefined) continue
      journal.push(created)
      for (let version = 0; version < index % 3; version++) await changeItem(request, created)
    }
  }
  await Promise.all([0, 1, 2, 3].map(create))
}

/** Resolves with undefined if the request failed. */
type SendRequest = (
  method: string,
  path: string,
  body?: object | Buffer,
) => Promise<Response | undefined>

async function createItem(
  request: SendRequest,
  vaultId: string,
  hasFile: boolean,
): Promise<Acknowledged | undefined> {
  const value = newValue()
  const fields = [{ id: 'password', type: 'CONCEALED', label: 'password', value }]
  const title = `Item ${value.slice(0, 8)}`
  const item = { vault: { id: vaultId }, category: 'LOGIN', title, fields }
  const created = await request('POST', `/v1/vaults/${vaultId}/items`, item)
  if (created === undefined) return undefined
  const { id: itemId } = (await created.json()) as { id: string }
  const content = randomBytes(2_000)
  const path = `/v1/vaults/${vaultId}/items/${itemId}/files?name=file`
  const attached = hasFile ? await request('POST', path, content) : undefined
  const file = (await attached?.json()) as { id: string } | undefined
  return { vaultId, itemId, fileId: file?.id, content, values: [value], latest: 0 }
}

async function changeItem(request: SendRequest, known: Acknowledged): Promise<void> {
  const value = newValue()
  const patch = [{ op: 'replace', path: '/fields/password/value', value }]
  // Before the response: a change that was not acknowledged may also be stored.
  const index = known.values.push(value) - 1
  const changed = await request('PATCH', pathOf(known), patch)
  if (changed === undefined) return
  await changed.arrayBuffer()
  known.latest = index
}

function newValue(): string {
  return randomBytes(12).toString('hex')
}

/** Returns the path of an item. */
export function pathOf({ vaultId, itemId }: Pick<Acknowledged, 'vaultId' | 'itemId'>): string {
  return `/v1/vaults/${vaultId}/items/${itemId}`
}

/** The result of reading everything back. */
export interface ReadBack {
  readonly read: number
  /** The items that are not there, not readable, or have an older value than was acknowledged. */
  readonly wrong: readonly Acknowledged[]
}

/** Reads every item and file, and compares them with what was acknowledged. */
export async function readBack(
  target: Target,
  journal: readonly Acknowledged[],
): Promise<ReadBack> {
  const wrong: Acknowledged[] = []
  for (const known of journal) if (!(await isAsKnown(target, known))) wrong.push(known)
  return { read: journal.length, wrong }
}

async function isAsKnown(target: Target, known: Acknowledged): Promise<boolean> {
  const response = await send(target, 'GET', pathOf(known))
  if (!response.ok) return false
  const { fields } = (await response.json()) as { fields: { id: string; value?: string }[] }
  const { value = '' } = fields.find(({ id }) => id === 'password') ?? {}
  const index = known.values.indexOf(value)
  if (index < known.latest) return false
  known.latest = index
  if (known.fileId === undefined) return true
  const file = await send(target, 'GET', `${pathOf(known)}/files/${known.fileId}/content`)
  return file.ok && Buffer.from(await file.arrayBuffer()).equals(known.content)
}
