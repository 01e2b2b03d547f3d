/** Rotates the keys of an encrypted store. */

import { DecryptionError } from '../../index.js'
import { createLocalKeyProvider, type KeyProvider } from '../../storage/encrypted.js'
import { CommandError } from '../command-error.js'
import { type CommandLine, formatCount, print } from '../command-line.js'
import { checkEncryption } from '../store/check-encryption.js'
import { encryptStore, openCommandStore } from '../store/open-command-store.js'
import { openStore } from '../store/open-store.js'
import { readKey } from '../store/read-key.js'
import { findKeyFile, locateStore, type StoreFlags } from '../store/store-flags.js'

/** Adds a data key to every vault; with `newKey`, replaces the key of the file. */
export async function rotate(
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
const finalName = createLocalKeyProvider({ key: new Uint8Array(32) }).currentKekId

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
  const location = locateStore(line, flags)
  for (const name of [temporaryName, finalName]) {
    const opened = await openStore(location, folder, 'existing')
    const keys = acceptBoth(oldKey, newKey, name)
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
function acceptBoth(oldKey: Uint8Array, newKey: Uint8Array, current: string): KeyProvider {
  const [oldKeys, newKeys] = [oldKey, newKey].map((key) =>
    createLocalKeyProvider({ keys: { [temporaryName]: key, [finalName]: key }, current }),
  ) as [KeyProvider, KeyProvider]
  return {
    currentKekId: current,
    kekIds: newKeys.kekIds,
    wrap: newKeys.wrap,
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
