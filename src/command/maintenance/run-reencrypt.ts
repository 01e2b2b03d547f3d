/** Encrypts the records of a store again. */

import { createLocalKeyProvider, plaintextRecords } from '../../storage/encrypted.js'
import { CommandError } from '../command-error.js'
import { type CommandLine, formatCount, print, printNote } from '../command-line.js'
import { withProgress } from '../progress.js'
import { openStore } from '../store/open-store.js'
import { encryptStore, locateStore, readKey, type StoreFlags } from '../store/store-flags.js'

/** Encrypts every record that is not under the current data key of its vault. */
export async function reencrypt(
  this: CommandLine,
  flags: StoreFlags & { readonly fromPlaintext: boolean },
): Promise<void> {
  const { encrypt, fromPlaintext } = flags
  if (encrypt === undefined)
    throw new CommandError('reencrypt needs the key file of the store', 'Pass it with --encrypt.')
  const folder = this.process.cwd()
  const keys = createLocalKeyProvider({ key: await readKey(folder, encrypt) })
  const location = locateStore(this, flags)
  const opened = await openStore(location, folder, false)
  const options = { keys, ...(fromPlaintext && { plaintextReader: plaintextRecords }) }
  const store = await encryptStore(opened, location, encrypt, options)
  try {
    const { records, blobs, unreadable } = await withProgress(this, 'Encrypting', () =>
      store.encrypted.reencrypt(),
    )
    if (fromPlaintext) opened.compact?.()
    print(this, `Encrypted ${formatCount(records, 'record')} and ${formatCount(blobs, 'file')}.`)
    if (fromPlaintext && opened.compact === undefined)
      printNote(this, 'The database can still contain the plaintext in pages that are not in use.')
    if (unreadable > 0)
      throw new CommandError(
        `not decrypted with this key, and left unchanged: ${formatCount(unreadable, 'record')}`,
        fromPlaintext ? undefined : 'If they are plaintext, pass --from-plaintext.',
      )
  } finally {
    await store.close()
  }
}
