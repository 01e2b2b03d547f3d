/** A vault with a login, a document with two files, and an item that may be deleted, behind tokens of this run. */

import { randomBytes } from 'node:crypto'
import { createVaultService, grant, type ItemDraft } from 'cofferkit'
import { bearer, createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createNodeListener } from 'cofferkit/node'
import { createTokenAuthenticator, hashToken } from 'cofferkit/tokens'
import { type Listening, listen } from './listen.js'

/** The vault, where it listens, and what is in it. */
export interface DemoVault extends Listening {
  readonly vaultId: string
  /** A login. */
  readonly itemId: string
  /** A document with two files. */
  readonly documentId: string
  /** An item that nothing else needs. */
  readonly spareId: string
  /** A file that is small enough to be answered inline. */
  readonly smallFileId: string
  /** A file that is not. */
  readonly largeFileId: string
  readonly tokens: DemoTokens
}

/** Tokens made at the start, of no use afterwards. */
export interface DemoTokens {
  /** Reads and writes the vault. */
  readonly owner: string
  /** Reads the vault. */
  readonly reader: string
  /** Has no right in the vault. */
  readonly stranger: string
}

/** Starts a vault on `port`, or on a free one if that is taken or 0. */
export async function startVault(port: number): Promise<DemoVault> {
  const setup = grant('setup', '*')
  const service = createVaultService({ store: createMemoryStore() })
  const { id: vaultId } = await service.createVault(setup, { name: 'Demo' })

  const create = async (draft: Omit<ItemDraft, 'vault'>): Promise<string> => {
    const item = { ...draft, vault: { id: vaultId } }
    return (await service.createItem(setup, { vaultId, item })).id
  }
  const itemId = await create({ category: 'LOGIN', title: 'Mail', fields: loginFields })
  const spareId = await create({ category: 'SECURE_NOTE', title: 'To be deleted' })
  const documentId = await create({ category: 'DOCUMENT', title: 'Papers' })

  const attach = async (name: string, content: Uint8Array): Promise<string> =>
    (await service.attachFile(setup, { vaultId, itemId: documentId, name, content })).id
  const smallFileId = await attach(
    'recovery-codes.txt',
    new TextEncoder().encode('7391-2046\n5580-1127\n'),
  )
  const largeFileId = await attach('passport.bin', new Uint8Array(200 * 1024))

  const tokens = { owner: newToken(), reader: newToken(), stranger: newToken() }
  const authenticator = createTokenAuthenticator({
    tokens: [
      { id: 'owner', sha256: await hashToken(tokens.owner), vaults: { [vaultId]: 'read-write' } },
      { id: 'reader', sha256: await hashToken(tokens.reader), vaults: { [vaultId]: 'read' } },
      { id: 'stranger', sha256: await hashToken(tokens.stranger), vaults: {} },
    ],
  })
  const api = createHttpHandler(service, { authenticate: bearer(authenticator) })
  const listening = await listen(createNodeListener(api), port)
  return { ...listening, vaultId, itemId, documentId, spareId, smallFileId, largeFileId, tokens }
}

const loginFields: NonNullable<ItemDraft['fields']> = [
  { id: 'username', purpose: 'USERNAME', value: 'wendy' },
  { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', generate: true },
]

function newToken(): string {
  return randomBytes(24).toString('base64url')
}
