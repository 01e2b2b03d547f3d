/** Where the grants of a proof are: in items of a vault, or in a table with sealed tokens. */

import { createCaller, createVaultService, type ItemRef, type VaultStore } from 'cofferkit'
import { createLocalKeyProvider } from 'cofferkit/encrypted'
import {
  type GrantRows,
  type GrantSource,
  newGrant,
  type StoredGrant,
  type TokenSet,
  vaultGrants,
} from 'cofferkit/oauth'
import { createSealer } from 'cofferkit/seal'
import type { GrantTable } from './grant-table.js'

/** A kind of place. */
export type PlaceKind = (typeof placeKinds)[number]

/** All kinds. */
export const placeKinds = ['items', 'table'] as const

/** A place, whose grants are identified by texts that processes can exchange. */
export interface GrantPlace {
  readonly grants: GrantSource<string>
  /** Saves the grant of tokens. Returns how it is identified. */
  save(name: string, tokens: TokenSet): Promise<string>
  /** Changes what belongs to a grant besides its tokens, as an editor or a sweep does. */
  edit(ref: string): Promise<void>
  readGrant(ref: string): Promise<StoredGrant>
}

const caller = createCaller({ id: 'token-keeper', vaults: '*' })

/** Returns the grants in items. */
export function openItems(store: VaultStore, now = () => new Date()): GrantPlace {
  const service = createVaultService({ store, now })
  const grants = vaultGrants(service, caller)
  let vault: Promise<{ readonly id: string }> | undefined
  const toRef = (text: string) => {
    const [vaultId = '', itemId = ''] = text.split('/')
    return { vaultId, itemId }
  }
  const toTextRows = (ref: string, rows: GrantRows<ItemRef> = grants): GrantRows<string> => ({
    read: async () => rows.read(toRef(ref)),
    replace: async (_ref, ...rest) => rows.replace(toRef(ref), ...rest),
  })
  return {
    grants: {
      key: (ref) => ref,
      read: (ref) => grants.read(toRef(ref)),
      replace: (ref, ...rest) => grants.replace(toRef(ref), ...rest),
      async aroundUse(ref, _by, next) {
        await grants.aroundUse?.(toRef(ref), caller, async (rows) => next(toTextRows(ref, rows)))
      },
      async aroundRefresh(ref, found, next) {
        await grants.aroundRefresh?.(toRef(ref), found as never, async (rows) =>
          next(toTextRows(ref, rows)),
        )
      },
    },
    async save(name, tokens) {
      vault ??= service.createVault(caller, { name: 'Grants' })
      return grants.key(await grants.save((await vault).id, { name, ...tokens }))
    },
    async edit(ref) {
      const patch = [{ op: 'add', path: '/tags', value: [String(Math.random())] }] as const
      await service.patchItem(caller, { ...toRef(ref), patch })
    },
    readGrant: async (ref) => readGrant(await grants.read(toRef(ref))),
  }
}

/**
 * Returns the grants in a table. The sealed access token is the version: a value that is sealed again
 * is another text.
 * @param rings - Where the keys of the sealed tokens are.
 */
export async function openTable(table: GrantTable, { records }: VaultStore): Promise<GrantPlace> {
  const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
  const box = await createSealer(records, { keys }).box('app')
  const access = box.column('grants', 'access_token')
  const refresh = box.column('grants', 'refresh_token')
  const toRow = (ref: string, grant: StoredGrant) => ({
    ...grant,
    accessToken: access.row(ref).seal(grant.accessToken),
    refreshToken: refresh.row(ref).seal(grant.refreshToken),
  })
  const grants: GrantSource<string> = {
    key: (ref) => `grants/${ref}`,
    async read(ref) {
      const row = await table.find(ref)
      if (row === undefined) return undefined
      const accessToken = access.row(ref).open(row.accessToken)
      const refreshToken = refresh.row(ref).open(row.refreshToken)
      return { grant: { ...row, accessToken, refreshToken }, version: row.accessToken }
    },
    replace: (ref, grant, version) => table.replace(ref, toRow(ref, grant), String(version)),
  }
  return {
    grants,
    async save(name, tokens) {
      await table.insert(name, toRow(name, newGrant(tokens)))
      return name
    },
    async edit(ref) {
      const row = await table.find(ref)
      if (row === undefined) return
      const accessToken = access.row(ref).seal(access.row(ref).open(row.accessToken))
      await table.replace(ref, { ...row, accessToken }, row.accessToken)
    },
    readGrant: async (ref) => readGrant(await grants.read(ref)),
  }
}

function readGrant(found: { readonly grant: StoredGrant } | undefined): StoredGrant {
  if (found === undefined) throw new Error('the grant does not exist')
  return found.grant
}
