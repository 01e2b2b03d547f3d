/** The checks of `doctor`. */

import { connectDialect } from '../../dialects/connect.js'
import { createCaller, createVaultService, isVaultError, type VaultStore } from '../../index.js'
import { formatCount } from '../command-line.js'
import { findEncryptionProblem, formatRemedy, type KeyedStore } from '../store/check-encryption.js'
import { listRingsWithKeys } from '../store/match-keys.js'
import type { StoreLocation } from '../store/parse-store.js'
import { complete } from '../store/with-service.js'

/** The result of a check. */
export interface Check {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed'
  /** The finding. It contains no value of the store. */
  readonly text: string
  /** The next step for the user. */
  readonly remedy?: string
}

const caller = createCaller({ id: 'cofferkit', vaults: '*' })
const maxListed = 10

/** Checks the version of Node. */
export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18))
    return { name: 'node', status: 'ok', text: version }
  return {
    name: 'node',
    status: 'failed',
    text: `${version} is too old`,
    remedy: 'Use Node 22.18 or later.',
  }
}

/** The server settings with which an acknowledged write survives a crash. */
const durableValues: Readonly<Record<string, RegExp>> = {
  fsync: /^on$/,
  full_page_writes: /^on$/,
  synchronous_commit: /^(?:on|local|remote_write|remote_apply)$/,
  innodb_flush_log_at_trx_commit: /^1$/,
}

/** Checks that acknowledged writes survive a crash. */
export function checkSettings(
  kind: StoreLocation['kind'],
  values: Readonly<Record<string, string>> | undefined,
): Check {
  const name = 'durability'
  if (kind === 'memory')
    return {
      name,
      status: 'warning',
      text: 'everything is lost when the process ends',
      remedy: 'Use --store sqlite:PATH to keep it.',
    }
  if (kind === 'sqlite')
    return { name, status: 'ok', text: 'write-ahead log, synchronous=FULL, set by cofferkit' }
  if (values === undefined)
    return { name, status: 'ok', text: 'not known for this store; see its own documentation' }
  const weak = Object.entries(values).filter(
    ([key, value]) => durableValues[key]?.test(value) === false,
  )
  const text = Object.entries(values)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')
  if (weak.length === 0) return { name, status: 'ok', text }
  return {
    name,
    status: 'failed',
    text,
    remedy: `A crash of the server can lose acknowledged writes: change ${weak.map(([key]) => key).join(', ')}.`,
  }
}

/** The result of {@link checkKey}. */
export interface KeyCheck extends Check {
  /** False if the records cannot be read without another key. */
  readonly canRead: boolean
  /** True if a damaged key ring explains the failure, which the check of every ring names. */
  readonly isExplained: boolean
}

/** Compares the store with its key, and looks for records that are not encrypted with it. */
export async function checkKey(opened: KeyedStore): Promise<KeyCheck> {
  const { keyFile, encrypted, isOpaque, missingKeys } = opened
  const problem = await findEncryptionProblem(opened, { isThorough: true })
  if (problem !== undefined) {
    const isExplained = problem.kind === 'wrong-key' && missingKeys.length === 0
    const canRead = isExplained || problem.kind === 'mixed'
    const { text } = problem
    return {
      name: 'key',
      status: 'failed',
      text,
      remedy: formatRemedy(problem),
      canRead,
      isExplained,
    }
  }
  const check = { name: 'key', status: 'ok', canRead: true, isExplained: false } as const
  if (keyFile !== undefined && !(await hasDataKey(opened)))
    return { ...check, text: `the store has no data key, so ${keyFile} was not tested` }
  if (keyFile !== undefined) return { ...check, text: `${keyFile} decrypts the store` }
  if (encrypted !== undefined) return { ...check, text: 'its keys decrypt the store' }
  if (isOpaque) return { ...check, text: 'not known: the module can encrypt it' }
  const remedy = 'Run keygen, then reencrypt --from-plaintext, to encrypt the store.'
  return { ...check, status: 'warning', text: 'the store is plaintext', remedy }
}

/**
 * Reads every vault and its first item, and looks for records that are not encrypted with the key.
 */
export async function checkVaults(opened: KeyedStore): Promise<readonly Check[]> {
  const { store, keyFile, name, encrypted } = opened
  const { canRead: _, isExplained: __, ...key } = await checkKey(opened)
  const damagedRings = encrypted === undefined ? [] : await findDamagedRings(opened.inner)
  if (damagedRings.length > 0) {
    const text = `${name} has damaged key rings: ${damagedRings.join(', ')}`
    const remedy = `A newer cofferkit may have written them: update this one. ${deepRemedy}`
    return [{ name: 'key', status: 'failed', text, remedy }]
  }
  if (key.status === 'failed') return [key]
  const service = createVaultService({ store, dialect: connectDialect, onError: () => {} })
  try {
    const vaults = await service.listVaults(caller, {}, complete)
    for (const { id: vaultId } of vaults)
      await service.listItems(caller, { vaultId, limit: 1 }, complete)
    const count = {
      name: 'reading',
      status: 'ok',
      text: formatCount(vaults.length, 'vault'),
    } as const
    return [count, key]
  } catch (error) {
    if (!isVaultError(error) || error.code === 'STORAGE_UNAVAILABLE') throw error
    const text = keyFile === undefined ? 'cannot be read' : `cannot be decrypted with ${keyFile}`
    return [{ name: 'reading', status: 'failed', text: `${name} ${text}`, remedy: deepRemedy }]
  }
}

/** Returns false if the rings are missing, erased or damaged: a key can be tested with none. */
async function hasDataKey({ inner }: KeyedStore): Promise<boolean> {
  for await (const _ of listRingsWithKeys(inner.records)) return true
  return false
}

const deepRemedy = 'Run doctor --deep, which names everything that cannot be read.'

/** Returns the scopes whose key ring is damaged, at most ten. */
async function findDamagedRings({ records }: VaultStore): Promise<readonly string[]> {
  const { listKeyRings } = await import('../../storage/encrypted.js')
  const scopes: string[] = []
  for await (const { scope, keys } of listKeyRings(records)) {
    if (keys === undefined) scopes.push(scope)
    if (scopes.length === maxListed) break
  }
  return scopes
}

const maxSkewMs = 5_000

/** Compares the clock with that of the server, and with the times of the vaults. */
export async function checkClock(store: VaultStore, serverNow: Date | undefined): Promise<Check> {
  const now = Date.now()
  const name = 'clock'
  const remedy = 'Set the clock of this machine, for example with NTP.'
  if (serverNow !== undefined && Math.abs(serverNow.getTime() - now) > maxSkewMs) {
    const seconds = Math.round((now - serverNow.getTime()) / 1000)
    return { name, status: 'failed', text: `${seconds} s apart from the server`, remedy }
  }
  const service = createVaultService({ store, dialect: connectDialect, onError: () => {} })
  const vaults = await service.listVaults(caller).catch(() => [])
  const newest = Math.max(0, ...vaults.map(({ updatedAt }) => Date.parse(updatedAt)))
  if (newest > now + maxSkewMs)
    return { name, status: 'failed', text: 'behind the time of the newest vault', remedy }
  return { name, status: 'ok', text: new Date(now).toISOString() }
}
