/** The command `rotate`: creates new data keys, or replaces the key file. */

import { buildCommand } from '@stricli/core'
import { DecryptionError, type RecordStore } from '../index.js'
import type { KeyProvider } from '../storage/encrypted.js'
import { CommandError } from './command-error.js'
import { type CommandLine, formatCount, print, printNote } from './command-line.js'
import { switchFlag, textFlag } from './flags.js'
import { checkEncryption } from './store/check-encryption.js'
import { createFileKeyProvider, listRingsWithKeys, matchKeys } from './store/match-keys.js'
import { encryptStore, openCommandStore } from './store/open-command-store.js'
import { openStore } from './store/open-store.js'
import { readKey } from './store/read-key.js'
import { findKeyFiles, locateStore, type StoreFlags, storeFlags } from './store/store-flags.js'

/** Rotates keys. */
export const rotateCommand = buildCommand<RotateFlags, [], CommandLine>({
  func: rotate,
  parameters: {
    flags: {
      ...storeFlags,
      newKey: textFlag('KEYFILE', 'Replace the key of --encrypt with the key in this file'),
      rewrap: switchFlag('Wrap every key ring with the current key of the configuration'),
    },
  },
  docs: {
    customUsage: ['--encrypt vault.key', '--encrypt old.key --new-key new.key', '--rewrap'],
    brief: 'Give every vault a new data key, or replace the key that wraps them',
    fullDescription: [
      'Without --new-key, every vault gets a new data key, which encrypts everything that is written',
      'from now on. To encrypt the rest with it, run reencrypt.',
      '',
      'With --new-key, every key ring is wrapped with the key of another file. Stop other processes',
      'first, because they know only the old key. If they write something meanwhile, the end of the',
      'output names it. Then, and after an interruption, run this again with the same files. Keep the',
      'old file until this has succeeded.',
      '',
      'With --rewrap, every key ring is wrapped with the current key of the configuration, which',
      'must still have the former keys. Other processes need not stop if they have all of them.',
    ].join('\n'),
  },
})

interface RotateFlags extends StoreFlags {
  readonly newKey?: string
  readonly rewrap: boolean
}

/** Adds a data key to every vault; with `newKey` or `rewrap`, replaces the key that wraps them. */
async function rotate(this: CommandLine, flags: RotateFlags): Promise<void> {
  const { newKey, rewrap } = flags
  if (newKey !== undefined) return replaceKey(this, flags, newKey)
  const opened = await openCommandStore(this, flags, 'existing')
  try {
    const { encrypted } = opened
    if (encrypted === undefined)
      throw new CommandError('rotate needs the key file of the store', 'Pass it with --encrypt.')
    if (rewrap) {
      const count = await encrypted.rewrapKeys()
      print(this, `Wrapped ${formatCount(count, 'key ring')} with the current key.`)
      return
    }
    const count = await encrypted.rotateDataKeys()
    print(
      this,
      `Created ${formatCount(count, 'data key')}. Run reencrypt to use it for stored data.`,
    )
  } finally {
    await opened.close()
  }
}

/** Wraps every key ring with the key of another file. Both files are accepted, so it can run again. */
async function replaceKey(line: CommandLine, flags: RotateFlags, newFile: string): Promise<void> {
  const folder = line.process.cwd()
  const location = locateStore(line, flags)
  if (location.kind === 'config')
    throw new CommandError(
      `--new-key cannot be used with ${location.path}`,
      'Put both keys there, the new one as the current one, and run: npx cofferkit rotate --rewrap',
    )
  const oldFiles = findKeyFiles(line, flags, location)
  if (oldFiles.length === 0)
    throw new CommandError('rotate needs the key file of the store', 'Pass it with --encrypt.')
  const readOld = (file: string): Promise<Uint8Array> =>
    readKey(folder, file, 'Pass the key file of the store with --encrypt.')
  const oldKeys = await Promise.all(oldFiles.map(readOld))
  const newKey = await readKey(folder, newFile, `Run: npx cofferkit keygen ${newFile}`)
  if (oldKeys.some((key) => Buffer.from(key).equals(newKey)))
    throw new CommandError(
      `${newFile} contains the same key as --encrypt`,
      'Create another one with: npx cofferkit keygen FILE',
    )
  const opened = await openStore(location, folder, 'existing')
  let close = opened.close
  try {
    const { records } = opened.store
    const { missing } = await matchKeys(records, [newKey, ...oldKeys])
    const keyFile = oldFiles.join(' and ')
    const keyed = { keyFile, missingKeys: missing, isKeyOfEnvironment: false }
    const keys = await createFileKeyProvider([newKey, ...oldKeys])
    const store = await encryptStore(opened, location, keyed, { keys })
    close = store.close
    await checkEncryption(store)
    const outcome = await store.encrypted.rewrapKeys().catch((error: unknown) => {
      if (error instanceof DecryptionError) return error
      throw error
    })
    await checkAllWrapped(records, keys, { keyFile, newFile })
    if (outcome instanceof DecryptionError) throw outcome
    const text = `Wrapped ${formatCount(outcome, 'key ring')} with ${newFile}`
    print(line, `${text}. Use this file from now on.`)
    printNote(line, `Restart every process that has ${keyFile}, and keep it for older backups.`)
  } finally {
    await close()
  }
}

const maxListed = 10

/**
 * @throws CommandError that names the key rings which the new key does not open: another process has
 * written them meanwhile, or the former key file of their key was not passed.
 */
async function checkAllWrapped(
  records: RecordStore,
  { currentKekId, kekIds }: KeyProvider,
  { keyFile, newFile }: { readonly keyFile: string; readonly newFile: string },
): Promise<void> {
  const scopes: string[] = []
  const unknown = new Set<string>()
  for await (const { scope, kekId } of listRingsWithKeys(records)) {
    if (kekId === currentKekId) continue
    scopes.push(scope)
    if (!kekIds.includes(kekId)) unknown.add(kekId)
  }
  if (scopes.length === 0) return
  const listed = scopes.slice(0, maxListed).join(', ')
  const more = scopes.length > maxListed ? ` and ${scopes.length - maxListed} more` : ''
  const text = `${formatCount(scopes.length, 'key ring')} cannot be opened with ${newFile} alone: ${listed}${more}`
  throw unknown.size > 0
    ? new CommandError(
        text,
        `Run it again with the former file of the keys ${[...unknown].join(' and ')} as another --encrypt. Keep every key file until it succeeds.`,
      )
    : new CommandError(
        text,
        `Another process that has ${keyFile} wrote meanwhile. Stop it, and run this again with the former file. Keep ${keyFile} until it succeeds.`,
      )
}
