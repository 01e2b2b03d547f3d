/** The command `rotate`: creates new data keys, or replaces the key file. */

import { buildCommand } from '@stricli/core'
import { DecryptionError } from '../index.js'
import type { KeyProvider } from '../storage/encrypted.js'
import { CommandError } from './command-error.js'
import { type CommandLine, formatCount, print } from './command-line.js'
import { switchFlag, textFlag } from './flags.js'
import { checkEncryption } from './store/check-encryption.js'
import { defaultKeyName, findNames } from './store/match-keys.js'
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
      newKey: textFlag('KEYFILE', 'Replace the key of --encrypt by the key of this file'),
      rewrap: switchFlag('Wrap every data key with the current key of the configuration'),
    },
  },
  docs: {
    customUsage: ['--encrypt vault.key', '--encrypt old.key --new-key new.key', '--rewrap'],
    brief: 'Give every vault a new data key, or replace the key that wraps them',
    fullDescription: [
      'Without --new-key, every vault gets a new data key: what is written from now on is',
      'encrypted with it, and reencrypt encrypts the rest with it.',
      '',
      'With --new-key, every data key is wrapped with the key of another file, under the name that',
      'the key had. The old file is not needed afterwards. Stop other processes first: they know',
      'only the old key. If this is interrupted, run it again with the same two files.',
      '',
      'With --rewrap, every data key is wrapped with the current key of the configuration, which',
      'must have the former keys, too. Other processes need not stop if they have all of them.',
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
      print(this, `Wrapped ${formatCount(count, 'data key')} with the current key.`)
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

/** Begins the names that are only used while a key is replaced. */
const temporaryPrefix = 'next:'

/**
 * Wraps every data key with the key of another file. The name of the key stays the same, so the
 * data keys are wrapped twice: under a temporary name, then under the name that they had. Both
 * steps accept both keys, so an interrupted run can be repeated.
 */
async function replaceKey(line: CommandLine, flags: RotateFlags, newFile: string): Promise<void> {
  const folder = line.process.cwd()
  const location = locateStore(line, flags)
  if (location.kind === 'config')
    throw new CommandError(
      `--new-key cannot be used with ${location.path}`,
      'Put both keys there, the new one as the current one, and run: npx cofferkit rotate --rewrap',
    )
  const [oldFile, other] = findKeyFiles(line, flags, location)
  if (oldFile === undefined)
    throw new CommandError('rotate needs the key file of the store', 'Pass it with --encrypt.')
  if (other !== undefined) throw new CommandError('--new-key needs exactly one --encrypt')
  const oldKey = await readKey(folder, oldFile, 'Pass the key file of the store with --encrypt.')
  const newKey = await readKey(folder, newFile, `Run: npx cofferkit keygen ${newFile}`)
  const { createLocalKeyProvider } = await import('../storage/encrypted.js')
  for (const isLast of [false, true]) {
    const opened = await openStore(location, folder, 'existing')
    let close = opened.close
    try {
      const names = [...(await findNames(opened.store.records)).keys()]
      const interrupted = names.find((name) => name.startsWith(temporaryPrefix))
      const finalName = (interrupted ?? names.at(-1) ?? defaultKeyName).replace(temporaryPrefix, '')
      const temporaryName = temporaryPrefix + finalName
      const current = isLast ? finalName : temporaryName
      const providerOf = (key: Uint8Array): KeyProvider => {
        const all = [...names, finalName, temporaryName].map((name) => [name, key] as const)
        return createLocalKeyProvider({ keys: Object.fromEntries(all), current })
      }
      const keys = acceptBoth(providerOf(oldKey), providerOf(newKey))
      const keyed = { keyFile: oldFile, missingKeys: [], isKeyOfEnvironment: false }
      const store = await encryptStore(opened, location, keyed, { keys })
      close = store.close
      await checkEncryption(store)
      const count = await store.encrypted.rewrapKeys()
      if (isLast) {
        const text = `Wrapped ${formatCount(count, 'data key')} with ${newFile}`
        print(line, `${text}, named ${finalName}. Use this file from now on.`)
      }
    } finally {
      await close()
    }
  }
}

/** Returns a provider that wraps with the new key, and unwraps with either key. */
function acceptBoth(oldKeys: KeyProvider, newKeys: KeyProvider): KeyProvider {
  return {
    ...newKeys,
    async unwrap(kekId, wrapped, context) {
      try {
        return await newKeys.unwrap(kekId, wrapped, context)
      } catch (error) {
        if (!(error instanceof DecryptionError)) throw error
        return oldKeys.unwrap(kekId, wrapped, context)
      }
    },
  }
}
