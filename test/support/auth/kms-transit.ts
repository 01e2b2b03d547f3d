/**
 * A local transit engine of Vault over HTTP: encrypt and decrypt of its reference, with real
 * AES-256-GCM.
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A running engine. */
export interface LocalTransit {
  readonly address: string
  /** Method and path of each request so far. */
  readonly requests: string[]
  /** Adds a version of the key. */
  rotate(): void
  /** Responds to every request with this status from now on; undefined ends that. */
  setStatus(status: number | undefined): void
  /**
   * Redirects every request from now on, like a standby node. Without a location, the header is
   * missing.
   */
  redirect(location: string | undefined, status?: number): void
  close(): void
}

interface Response {
  readonly status: number
  readonly body: unknown
  readonly location?: string
}

/**
 * Starts an engine on a free port.
 * @param rejectionStatus The status for a ciphertext that cannot be decrypted. Older versions of
 * Vault returned 500 (hashicorp/vault issue 10842).
 * @param otherKeys Keys of another client in the same engine.
 */
export async function startLocalTransit(
  key: string,
  token: string,
  {
    mount = 'transit',
    rejectionStatus = 400,
    otherKeys = [],
  }: {
    readonly mount?: string
    readonly rejectionStatus?: number
    readonly otherKeys?: readonly string[]
  } = {},
): Promise<LocalTransit> {
  const keys = new Map([key, ...otherKeys].map((name) => [name, [randomBytes(32)]]))
  const requests: string[] = []
  let broken: Response | undefined

  const work = async (request: IncomingMessage): Promise<Response> => {
    requests.push(`${request.method} ${request.url}`)
    const body: Record<string, string> = JSON.parse(await textOf(request))
    if (broken !== undefined) return broken
    if (request.headers['x-vault-token'] !== token) return failed(403, 'permission denied')
    if (request.method !== 'POST' && request.method !== 'PUT')
      return failed(405, 'unsupported operation')
    for (const [name, versions] of keys) {
      if (request.url === `/v1/${mount}/encrypt/${name}`) return encrypted(body, versions)
      if (request.url === `/v1/${mount}/decrypt/${name}`)
        return decrypted(body, versions, rejectionStatus)
    }
    return failed(400, 'encryption key not found')
  }
  const server = createServer((request, response) => {
    void work(request).then(({ status, body, location }) => {
      if (location !== undefined) response.setHeader('location', location)
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    rotate: () => {
      keys.get(key)?.push(randomBytes(32))
    },
    setStatus: (status) => {
      broken = status === undefined ? undefined : failed(status, 'Vault is sealed')
    },
    redirect: (location, status = 307) => {
      const response = failed(status, 'this node is on standby')
      broken = location === undefined ? response : { ...response, location }
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function failed(status: number, ...errors: readonly string[]): Response {
  return { status, body: { errors } }
}

function encrypted(body: Record<string, string>, versions: readonly Buffer[]): Response {
  const plaintext = fromBase64(body['plaintext'])
  const associated = fromBase64(body['associated_data'])
  if (plaintext === undefined) return failed(400, 'failed to base64-decode plaintext')
  if (associated === undefined) return failed(400, 'failed to decode associated data')
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', versions.at(-1) ?? '', nonce)
  cipher.setAAD(associated)
  const sealed = Buffer.concat([
    nonce,
    cipher.update(plaintext),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const ciphertext = `vault:v${versions.length}:${sealed.toString('base64')}`
  return { status: 200, body: { data: { ciphertext, key_version: versions.length } } }
}

function decrypted(
  body: Record<string, string>,
  versions: readonly Buffer[],
  rejectionStatus: number,
): Response {
  const [, version, sealed] = /^vault:v(\d+):(.*)$/.exec(body['ciphertext'] ?? '') ?? []
  if (version === undefined) return failed(400, 'invalid ciphertext: no prefix')
  const bytes = Buffer.from(sealed ?? '', 'base64')
  try {
    const cipher = createDecipheriv(
      'aes-256-gcm',
      versions[Number(version) - 1] ?? '',
      bytes.subarray(0, 12),
    )
    cipher.setAAD(fromBase64(body['associated_data']) ?? Buffer.alloc(0))
    cipher.setAuthTag(bytes.subarray(-16))
    const opened = Buffer.concat([cipher.update(bytes.subarray(12, -16)), cipher.final()])
    return { status: 200, body: { data: { plaintext: opened.toString('base64') } } }
  } catch {
    return failed(rejectionStatus, 'cipher: message authentication failed')
  }
}

function fromBase64(text: string | undefined): Buffer | undefined {
  const bytes = Buffer.from(text ?? '', 'base64')
  return text !== undefined && bytes.toString('base64') === text ? bytes : undefined
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
