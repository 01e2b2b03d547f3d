/** Reads the key file of a command. */

import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { isVaultError } from '../../index.js'
import { CommandError } from '../command-error.js'

/**
 * Reads a key file.
 * @param remedy - The next step for the user if the file does not exist.
 * @throws CommandError that names the file, if it does not exist or is not accepted.
 */
export async function readKey(folder: string, path: string, remedy: string): Promise<Uint8Array> {
  const file = resolve(folder, path)
  if (!existsSync(file)) throw new CommandError(`the key file ${path} does not exist`, remedy)
  const { readKeyFile } = await import('../../storage/encrypted.js')
  try {
    return await readKeyFile(file)
  } catch (error) {
    if (!isVaultError(error)) throw error
    const { cause, message } = error
    const reason = cause instanceof Error ? `${message}: ${cause.message}` : message
    throw new CommandError(
      reason,
      isOpenToOthers(file)
        ? `Run: chmod 600 ${path}; or copy it, in a container for example: install -m 400 ${path} /tmp/cofferkit.key`
        : undefined,
    )
  }
}

/** Container secrets are files with other modes and owners than a key file must have. */
function isOpenToOthers(file: string): boolean {
  const { mode, uid } = statSync(file)
  return process.platform !== 'win32' && ((mode & 0o077) !== 0 || uid !== process.geteuid?.())
}
