/** Reads everything that the processes can read, and compares it with the model. */

import {
  type ActivityEntry,
  createCaller,
  type Item,
  isVaultError,
  type VaultService,
} from 'cofferkit'
import { contentOf, itemTitle, markOf, secretStart } from './contents.js'
import { credentialPlace, revoked } from './credential-steps.js'
import { BrokenPromise, erased, itemValue, nothing } from './model.js'
import { type Process, startProcess } from './process.js'
import { assertSilent, type World } from './world.js'

const reader = createCaller({ id: 'reader', vaults: '*' })
const pageSize = 1000

/**
 * Checks the promises in every process that is not paused, and in a new one.
 * @throws BrokenPromise
 */
export async function check(world: World): Promise<void> {
  for (const [number, process] of world.processes.entries())
    if (!world.isPaused(number)) await checkProcess(world, process, `process ${number}`)
  const fresh = startProcess(world, 0)
  await checkProcess(world, fresh, 'a new process')
  await checkVaultList(world, fresh)
  await checkTenants(world, fresh)
  await checkDisk(world)
  if (world.broken !== undefined) throw world.broken
}

async function checkProcess(world: World, process: Process, name: string): Promise<void> {
  for (const vaultId of world.vaultIds) {
    const { model } = world
    const vault = await read(world, vaultId, () => process.service.getVault(reader, { vaultId }))
    if (vault === 'unavailable') continue
    model.observe(`vault ${vaultId}`, vault === undefined ? nothing : 'live', name)
    if (vault === undefined) {
      for (const kind of ['item', 'credential'])
        for (const place of model.places(`${kind} ${vaultId}/`)) observeNothing(world, place, name)
      continue
    }
    await checkItems(world, process, vaultId, name)
    await checkCredentials(world, process, vaultId, name)
    await checkGrants(world, process, vaultId, name)
  }
}

/** A grant whose revocation was acknowledged has no tokens in any process. */
async function checkGrants(
  world: World,
  { keeper }: Process,
  vaultId: string,
  name: string,
): Promise<void> {
  for (const [place, ref] of world.grants) {
    const isRevoked = [...world.model.possible(place)].every((value) => value === revoked)
    if (ref.vaultId !== vaultId || !isRevoked) continue
    const state = await read(world, vaultId, () => keeper.status(ref))
    if (state === 'unavailable') continue
    if (state?.status !== 'reconnect' || state.reason !== 'revoked')
      throw new BrokenPromise('P8', `${name} can use ${place}, which was revoked`)
  }
}

async function checkItems(
  world: World,
  process: Process,
  vaultId: string,
  name: string,
): Promise<void> {
  const { model, strays } = world
  const items = await read(world, vaultId, () =>
    process.service.listItems(reader, { vaultId, limit: pageSize }),
  )
  if (items === 'unavailable') return
  if (items === undefined) throw new BrokenPromise('P1', `${name} lists no items of a vault`)
  const listed = new Set(items.filter(({ title }) => title === itemTitle).map(({ id }) => id))
  for (const id of listed) {
    const place = `item ${vaultId}/${id}`
    if (model.places(place).length > 0) continue
    const item = await read(world, vaultId, () =>
      process.service.getItem(reader, { vaultId, itemId: id }),
    )
    if (item === 'unavailable' || item === undefined) continue
    const mark = markOf(item)
    if (!strays.get(vaultId)?.delete(mark))
      throw new BrokenPromise('P2', `${name} lists ${place} with ${mark}, which no step made`)
    world.itemIds.push(id)
    world.lives.plan(place, mark)
    model.set(place, mark)
  }
  for (const place of model.places(`item ${vaultId}/`)) {
    const itemId = place.slice(place.indexOf('/') + 1)
    const isDamaged = [...model.possible(place)].some(itemValue.isDamaged)
    const item = await read(
      world,
      vaultId,
      () => process.service.getItem(reader, { vaultId, itemId }),
      isDamaged,
    )
    if (item === 'unavailable') continue
    if (item === undefined) observeNothing(world, place, name)
    else if (item === 'unreadable') model.observe(place, 'unreadable', name)
    else await checkItem(world, process, item, name)
    const isListed = listed.has(itemId)
    const isThere = typeof item === 'object'
    if (isListed !== isThere)
      throw new BrokenPromise('P1', `${name} ${isListed ? 'lists' : 'does not list'} ${place}`)
  }
}

async function checkItem(
  world: World,
  { service }: Process,
  item: Item,
  name: string,
): Promise<void> {
  const { model } = world
  const ref = { vaultId: item.vault.id, itemId: item.id }
  const place = `item ${ref.vaultId}/${ref.itemId}`
  model.observe(place, markOf(item), name)
  await checkVersions(world, service, item, place, name)
  const filePlaces = `file ${ref.vaultId}/${ref.itemId}/`
  const found = new Set(item.files.map((file) => `${filePlaces}${file.name}`))
  for (const filePlace of new Set([...model.places(filePlaces), ...found]))
    model.observe(filePlace, found.has(filePlace) ? 'attached' : nothing, name)
  for (const file of item.files) {
    const text = await read(world, ref.vaultId, async () => {
      const { content } = await service.readFileContent(reader, { ...ref, fileId: file.id })
      return new Response(content as BodyInit).text()
    })
    if (text === 'unavailable') continue
    if (text !== contentOf(file.name))
      throw new BrokenPromise('P1', `${name} reads wrong bytes of ${filePlaces}${file.name}`)
  }
}

async function checkVersions(
  world: World,
  service: VaultService,
  item: Item,
  place: string,
  name: string,
): Promise<void> {
  const ref = { vaultId: item.vault.id, itemId: item.id }
  const archived = await read(world, ref.vaultId, async () => {
    const versions = await service.listVersions(reader, ref)
    const earlier = versions.filter(({ version }) => version < item.version)
    return Promise.all(
      earlier.map(async ({ version }) => ({
        version,
        mark: markOf(await service.getVersion(reader, { ...ref, version })),
      })),
    )
  })
  if (archived === undefined) throw new BrokenPromise('P1', `${name} finds no versions of ${place}`)
  if (archived === 'unavailable') return
  world.lives.observe(place, { version: item.version, mark: markOf(item) }, archived)
}

async function checkCredentials(
  world: World,
  { service, credentials }: Process,
  vaultId: string,
  name: string,
): Promise<void> {
  const { model, credentialIds } = world
  const views = await read(world, vaultId, () => credentials.of(reader, vaultId).list())
  if (views === 'unavailable') return
  if (views === undefined) throw new BrokenPromise('P1', `${name} lists no credentials`)
  const listed = new Map(
    views.map(({ account = '', status }) => [credentialPlace(vaultId, account), status]),
  )
  const items = await service.listItems(reader, { vaultId, filter: 'tag eq "credential"' })
  for (const { id: itemId } of items) {
    const item = await service.getItem(reader, { vaultId, itemId })
    const account = item.fields.find(({ id }) => id === 'credential.account')?.value ?? ''
    const place = credentialPlace(vaultId, account)
    credentialIds.set(place, itemId)
    await checkVersions(world, service, item, place, name)
  }
  for (const place of model.places(`credential ${vaultId}/`)) {
    const account = place.slice(place.indexOf('/') + 1)
    const isDamaged = [...model.possible(place)].some(itemValue.isDamaged)
    const value = await read(
      world,
      vaultId,
      () => credentials.of(reader, vaultId).reveal('api', 'key', { account }),
      isDamaged,
    )
    if (value === 'unavailable') continue
    if (value === undefined) observeNothing(world, place, name)
    else model.observe(place, markIn(value), name)
    const isListed = listed.has(place) === (value !== undefined)
    const isShownAsUnreadable = listed.get(place) === 'unreadable'
    if (!isListed || isShownAsUnreadable !== (value === 'unreadable'))
      throw new BrokenPromise('P1', `${name} has another list than ${place}`)
  }
}

/** Returns the mark in a value that was read. */
function markIn(value: string): string {
  return value === 'unreadable' ? value : value.slice(secretStart.length)
}

/** Nothing is at a place. The life of the item that was there is over, unless it is in the trash. */
function observeNothing({ model, lives }: World, place: string, name: string): void {
  model.observe(place, nothing, name)
  if ([...model.possible(place)].some(itemValue.isTrash)) return
  lives.end(place, model.runningMarks(place))
  for (const filePlace of model.places(`${place.replace('item', 'file')}/`))
    model.set(filePlace, nothing)
}

/** A list of vaults is whole, or it fails, such as while a key is denied. */
async function checkVaultList({ model, vaultIds }: World, { service }: Process): Promise<void> {
  const vaults = await service.listVaults(reader).catch(() => undefined)
  if (vaults === undefined) return
  const listed = new Set(vaults.map(({ id }) => id))
  for (const vaultId of vaultIds) {
    const isSurelyThere = [...model.possible(`vault ${vaultId}`)].every((value) => value === 'live')
    if (isSurelyThere && !listed.has(vaultId))
      throw new BrokenPromise('P1', `a new process does not list the vault ${vaultId}`)
  }
}

/** A tenant sees their own vault alone. */
async function checkTenants({ vaultIds, isDenied }: World, { service }: Process): Promise<void> {
  if (isDenied) return
  for (const own of vaultIds) {
    const tenant = createCaller({ id: 'tenant', vaults: { [own]: 'read-write' } })
    for (const vaultId of vaultIds) {
      if (vaultId === own) continue
      const answer = await service.listItems(tenant, { vaultId }).catch((error) => error.status)
      if (answer !== 403) throw new BrokenPromise('P5', `a tenant of ${own} lists ${vaultId}`)
    }
    const seen = await service.listVaults(tenant).catch(() => [])
    if (seen.some(({ id }) => id !== own))
      throw new BrokenPromise('P5', `a tenant of ${own} sees another vault`)
  }
}

/** No nonce is used twice. */
async function checkDisk({ disk }: World): Promise<void> {
  const [reused] = disk.reusedNonces
  if (reused !== undefined) throw new BrokenPromise('P8', `${reused} was written with an old nonce`)
}

/**
 * The log has an entry for each call that was acknowledged or refused, none that says that a change
 * has succeeded whose transaction was rolled back, and contains no value. It says
 * `PENDING` only if the operator was told that the outcome of this request could not be recorded.
 */
export async function checkLog(world: World): Promise<void> {
  if (!world.setup.hasLog || world.isDenied) return
  const { service } = startProcess(world, 0)
  const recorded = new Map<string, Set<string>>()
  let after: string | undefined
  do {
    const page = await service.listActivity(reader, { limit: pageSize, after })
    for (const entry of page.entries) {
      assertSilent('an entry', entry)
      const results = recorded.get(entry.actor.id) ?? new Set()
      recorded.set(entry.actor.id, results.add(isReported(entry) ? 'reported' : entry.result))
    }
    after = page.next
  } while (after !== undefined)
  for (const [callerId, result] of world.recorded) {
    const results = recorded.get(callerId)
    if (!results?.has(result) && !results?.has('reported'))
      throw new BrokenPromise('P4', `the log has no ${result} of ${callerId}`)
  }

  for (const callerId of world.rolledBack)
    if (recorded.get(callerId)?.has('SUCCESS'))
      throw new BrokenPromise('P4', `the log has a SUCCESS of ${callerId}, which was rolled back`)

  function isReported({ requestId, result }: ActivityEntry): boolean {
    const outcome = `outcome of request ${requestId} `
    return result === 'PENDING' && world.reported.some((message) => message.includes(outcome))
  }
}

/**
 * Returns the result of a read: undefined if there is nothing, `unavailable` if it can fail now.
 * @throws BrokenPromise if it fails although it cannot.
 */
async function read<Result>(
  world: World,
  vaultId: string,
  call: () => Promise<Result>,
): Promise<Result | 'unavailable' | undefined>
async function read<Result>(
  world: World,
  vaultId: string,
  call: () => Promise<Result>,
  isDamaged: boolean,
): Promise<Result | 'unavailable' | 'unreadable' | undefined>
async function read<Result>(
  { model, isDenied, setup }: World,
  vaultId: string,
  call: () => Promise<Result>,
  isDamaged = false,
): Promise<Result | 'unavailable' | 'unreadable' | undefined> {
  try {
    return await call()
  } catch (error) {
    assertSilent('an error', error)
    if (!isVaultError(error)) throw error
    if (error.status === 404) return undefined
    if (isDamaged && error.code === 'DECRYPTION_FAILED') return 'unreadable'
    const canFail =
      (isDenied && setup.keyRings !== undefined) || model.possible(`vault ${vaultId}`).has(erased)
    if (canFail) return 'unavailable'
    throw new BrokenPromise('P6', `a read fails that nothing disturbs: ${error.message}`)
  }
}
