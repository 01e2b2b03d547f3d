/** The command `reencrypt`: encrypts records again. */

import { buildCommand } from '@stricli/core'
import { CommandError } from './command-error.js'
import { type CommandLine, formatCount, print, printNote } from './command-line.js'
import { switchFlag } from './flags.js'
import { withProgress } from './progress.js'
import { encryptionError, findEncryptionProblem } from './store/check-encryption.js'
import { openUncheckedStore } from './store/open-command-store.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'

/** Encrypts records again. */
export const reencryptCommand = buildCommand<
  StoreFlags & { readonly fromPlaintext: boolean },
  [],
  CommandLine
>({
  func: reencrypt,
  parameters: {
    flags: {
      ...storeFlags,
      fromPlaintext: switchFlag('Also encrypt what was stored without --encrypt'),
    },
  },
  docs: {
    brief: 'Encrypt every record again that is not under the current data key',
    fullDescription: [
      'Encrypts every record that is not under the current data key of its vault. It can be',
      'stopped and started again, and the store can be in use. --from-plaintext turns encryption',
      'on for a store that was written without it.',
    ].join('\n'),
  },
})

/** Encrypts every record that is not under the current data key of its vault. */
async function reencrypt(
  this: CommandLine,
  flags: StoreFlags & { readonly fromPlaintext: boolean },
): Promise<void> {
  const { fromPlaintext } = flags
  const options = { acceptsPlaintext: fromPlaintext }
  const opened = await openUncheckedStore(this, flags, 'existing', options)
  try {
    const { encrypted, keyFile } = opened
    if (encrypted === undefined)
      throw new CommandError('reencrypt needs the key file of the store', 'Pass it with --encrypt.')
    if (fromPlaintext && keyFile === undefined)
      throw new CommandError(
        `${opened.name} decides whether it accepts plaintext`,
        'Set acceptsPlaintext there, and leave --from-plaintext out.',
      )
    const problem = await findEncryptionProblem(opened)
    const isAccepted = fromPlaintext && problem?.kind !== 'wrong-key'
    if (problem !== undefined && !isAccepted) throw encryptionError(problem)
    const { records, blobs, unreadable } = await withProgress(this, 'Encrypting', () =>
      encrypted.reencrypt(),
    )
    if (fromPlaintext) await opened.compact?.()
    print(this, `Encrypted ${formatCount(records, 'record')} and ${formatCount(blobs, 'file')}.`)
    if (fromPlaintext && opened.compact === undefined)
      printNote(this, 'The database can still contain the plaintext in pages that are not in use.')
    if (unreadable > 0)
      throw new CommandError(
        `not decrypted with this key, and left unchanged: ${formatCount(unreadable, 'record')}`,
        fromPlaintext ? undefined : 'If they are plaintext, pass --from-plaintext.',
      )
  } finally {
    await opened.close()
  }
}
