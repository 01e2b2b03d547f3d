/** The command `rotate`: creates new data keys, or replaces the key file. */

import { buildCommand } from '@stricli/core'
import { DecryptionError } from '../index.js'
import type { KeyProvider } from '../storage/encrypted.js'
import { CommandError } from './command-error.js'
import { type CommandLine, formatCount, print } from './command-line.js'
import { textFlag } from './flags.js'
import { checkEncryption } from './store/check-encryption.js'
import { encryptStore, openCommandStore } from './store/open-command-store.js'
import { openStore } from './store/open-store.js'
import { readKey } from './store/read-key.js'
import { findKeyFile, locateStore, type StoreFlags, storeFlags } from './store/store-flags.js'

/** Rotates keys. */
export const rotateCommand = buildCommand<
  StoreFlags & { readonly newKey?: string },
  [],
  CommandLine
>({
  func: rotate,
  parameters: {
    flags: {
      ...storeFlags,
      newKey: textFlag('KEYFILE', 'Replace the key of --encrypt by the key of this file'),
    },
  },
  docs: {
    customUsage: ['--encrypt vault.key', '--encrypt old.key --new-key new.key'],
    brief: 'Give every vault a new data key, or replace the key file',
    fullDescription: [
      'Without --new-key, every vault gets a new data key: what is written from now on is',
      'encrypted with it, and reencrypt encrypts the rest with it.',
      '',
      'With --new-key, every data key is wrapped with the key of another file. The old file is',
      'not needed afterwards. Stop other processes first: they know only the old key. If this is',
      'interrupted, run it again with the same two files.',
    ].join('\n'),
  },
})

/** Adds a data key to every vault; with `newKey`, replaces the key of the file. */
async function rotate(
  this: CommandLine,
  flags: StoreFlags & { readonly newKey?: string },
): Promise<void> {
  const { newKey } = flags
  const keyFile = findKeyFile(this, flags)
  if (keyFile === undefined)
    throw new CommandError('rotate needs the key file of the store', 'Pass it with --encrypt.')
  if (newKey !== undefined) return replaceKey(this, flags, keyFile, newKey)
  const opened = await openCommandStore(this, flags, 'existing')
  try {
    const count = (await opened.encrypted?.rotateDataKeys()) ?? 0
    print(
      this,
      `Created ${formatCount(count, 'data key')}. Run reencrypt to use it for stored data.`,
    )
  } finally {
    await opened.close()
  }
}

/** A name that is only used while keys are replaced. */
const temporaryName = 'next'

/**
 * Wraps every data key with the key of another file. A key of a file always has the same name, so
 * the data keys are wrapped twice: under a temporary name, then under the name that they had. Both
 * steps accept both keys, so an interrupted run can be repeated.
 */
async function replaceKey(
  line: CommandLine,
  flags: StoreFlags,
  oldFile: string,
  newFile: string,
): Promise<void> {
  const folder = line.process.cwd()
  const oldKey = await readKey(folder, oldFile, 'Pass the key file of the store with --encrypt.')
  const newKey = await readKey(folder, newFile, `Run: npx cofferkit keygen ${newFile}`)
  const { createLocalKeyProvider } = await import('../storage/encrypted.js')
  const { currentKekId: finalName } = createLocalKeyProvider({ key: oldKey })
  const location = locateStore(line, flags)
  for (const name of [temporaryName, finalName]) {
    const opened = await openStore(location, folder, 'existing')
    const providerOf = (key: Uint8Array): KeyProvider =>
      createLocalKeyProvider({ keys: { [temporaryName]: key, [finalName]: key }, current: name })
    const keys = acceptBoth(providerOf(oldKey), providerOf(newKey))
    const store = await encryptStore(opened, location, { keyFile: oldFile }, { keys })
    try {
      await checkEncryption(store)
      const count = await store.encrypted.rewrapKeys()
      if (name === finalName)
        print(
          line,
          `Wrapped ${formatCount(count, 'data key')} with ${newFile}. Use this file from now on.`,
        )
    } finally {
      await store.close()
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
