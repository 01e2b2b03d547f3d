/** Adds a token to a token file, revokes one, or lists them. */

import { open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createToken, hashToken } from '../../auth/tokens.js'
import { CommandError } from '../command-error.js'
import { type CommandLine, print, printNote } from '../command-line.js'
import { parseTime } from '../parse-time.js'
import { decodeUserText, describeReadError } from '../read-user-file.js'
import {
  formatTokenFile,
  idRule,
  isTokenId,
  parseTokenFile,
  type TokenEntry,
} from '../token-file.js'

/** The flags of `token`. */
export interface TokenFlags {
  readonly tokens?: string
  readonly add?: string
  readonly vault?: readonly string[]
  readonly expires?: string
  readonly revoke?: string
  readonly list: boolean
  readonly json: boolean
}

/** Changes or lists the token file of the flags or of the environment. */
export async function changeTokens(line: CommandLine, flags: TokenFlags): Promise<void> {
  const { COFFERKIT_TOKENS_FILE: ofEnvironment = '' } = line.process.env
  const { tokens: path = ofEnvironment, add, revoke, list } = flags
  const actions = [add !== undefined, revoke !== undefined, list].filter(Boolean).length
  if (actions !== 1) throw new CommandError('pass one of --add, --revoke and --list with --tokens')
  if (path === '')
    throw new CommandError('--add, --revoke and --list need the file: pass --tokens FILE')
  if (add === undefined && (flags.vault !== undefined || flags.expires !== undefined))
    throw new CommandError('--vault and --expires are for --add')
  if (add !== undefined) return addToken(line, flags, path, add)
  if (revoke !== undefined) return revokeToken(line, flags, path, revoke)
  const { entries } = await readEntries(line, path)
  for (const entry of entries) print(line, flags.json ? JSON.stringify(entry) : formatEntry(entry))
  if (entries.length === 0) printNote(line, `${path} has no tokens.`)
}

async function addToken(
  line: CommandLine,
  { vault, expires, json }: TokenFlags,
  path: string,
  id: string,
): Promise<void> {
  if (!isTokenId(id)) throw new CommandError(`--add: ${idRule}`)
  const vaults = parseVaults(vault)
  const now = Date.now()
  const expiresAt = parseTime('expires', expires, now, 1)
  if (expiresAt !== undefined && Date.parse(expiresAt) <= now)
    throw new CommandError('--expires must be in the future')
  const { token, sha256 } = await createToken()
  const added = { id, sha256, vaults, ...(expiresAt !== undefined && { expiresAt }) }
  await changeFile(line, path, true, (entries) => {
    if (entries.some((entry) => entry.id === id))
      throw new CommandError(
        `${path} already has a token with this id`,
        'Choose another id, or revoke that token first.',
      )
    return [...entries, added]
  })
  print(line, json ? JSON.stringify({ ...added, token }) : token)
  printNote(
    line,
    `Added ${formatEntry(added)} to ${path}, which does not contain the token itself.`,
  )
}

async function revokeToken(
  line: CommandLine,
  { json }: TokenFlags,
  path: string,
  given: string,
): Promise<void> {
  const isId = given !== '-'
  const sha256 = isId ? undefined : await hashToken(await readToken(line))
  const isRevoked = (entry: TokenEntry): boolean =>
    isId ? entry.id === given : entry.sha256.toLowerCase() === sha256
  let revoked: TokenEntry | undefined
  await changeFile(line, path, false, (entries) => {
    revoked = entries.find(isRevoked)
    if (revoked === undefined)
      throw new CommandError(
        isId ? `${path} has no token with this id` : `${path} does not have this token`,
        `Run: npx cofferkit token --tokens ${path} --list`,
      )
    return entries.filter((entry) => entry !== revoked)
  })
  if (revoked === undefined) return
  print(line, json ? JSON.stringify(revoked) : `Revoked ${formatEntry(revoked)}.`)
  printNote(line, `What it did: npx cofferkit activity --caller ${revoked.id} --limit all`)
}

async function readToken({ process }: CommandLine): Promise<string> {
  return decodeUserText(await buffer(process.stdin), 'the standard input').trim()
}

/** @throws CommandError if a permission is malformed, or if there is none. */
function parseVaults(given: readonly string[] = []): TokenEntry['vaults'] {
  if (given.length === 0)
    throw new CommandError(
      '--add needs a permission',
      "Pass --vault VAULT=read, write or read-write for each vault, or --vault '*' for all.",
    )
  if (given.length === 1 && given[0] === '*') return '*'
  const vaults: Record<string, 'read' | 'write' | 'read-write'> = {}
  for (const text of given) {
    const [, id = '', permission] = /^([\da-z]{26})=(read|write|read-write)$/.exec(text) ?? []
    if (id === '')
      throw new CommandError(
        "--vault: must be * or a vault id with a permission, such as 'ftz4pm2xxwmwrsd7rjqn7grzfz=read'",
      )
    if (Object.hasOwn(vaults, id)) throw new CommandError('--vault: names a vault twice')
    vaults[id] = permission as 'read' | 'write' | 'read-write'
  }
  return vaults
}

/** Returns an entry as part of a line, without its digest. */
function formatEntry({ id, vaults, expiresAt }: TokenEntry): string {
  const permissions =
    vaults === '*'
      ? ['*']
      : Object.entries(vaults).map(([vaultId, permission]) => `${vaultId}=${permission}`)
  const expiry = expiresAt === undefined ? 'never expires' : `expires ${expiresAt}`
  return `${id} (${[...permissions, expiry].join(', ')})`
}

async function readEntries(
  { process }: CommandLine,
  path: string,
): Promise<{ readonly file: string; readonly entries: readonly TokenEntry[] }> {
  try {
    // If the path is a symbolic link, the file that it refers to is replaced, not the link.
    const file = await realpath(resolve(process.cwd(), path))
    return { file, entries: parseTokenFile(decodeUserText(await readFile(file), path), path) }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${path} ${describeReadError(error)}`)
  }
}

/**
 * Replaces the file with one that has other entries, in one step, so that a server never reads a
 * part of it. The new file is also the lock: another command that runs meanwhile fails.
 * @param canCreate - True if a file that does not exist counts as one without tokens.
 */
async function changeFile(
  line: CommandLine,
  path: string,
  canCreate: boolean,
  change: (entries: readonly TokenEntry[]) => readonly TokenEntry[],
): Promise<void> {
  const target = resolve(line.process.cwd(), path)
  const file = await realpath(target).catch(() => target)
  const temporary = `${file}.new`
  const handle = await open(temporary, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    throw code === 'EEXIST'
      ? new CommandError(
          `${path} is being changed by another command`,
          `If none runs, delete ${path}.new, which one that was killed has left behind.`,
        )
      : new CommandError(`${path}.new cannot be created: ${code}`)
  })
  try {
    const before = await stat(file).catch(() => undefined)
    const isNew = before === undefined && canCreate
    const entries = isNew ? [] : (await readEntries(line, path)).entries
    await handle.writeFile(formatTokenFile(change(entries)))
    // The server may run as another user, who must still be able to read the file.
    if (before !== undefined && before.uid !== (await handle.stat()).uid)
      await handle.chown(before.uid, before.gid)
    await handle.sync()
    await handle.close()
    await rename(temporary, file)
  } catch (error) {
    await handle.close().catch(() => {})
    await unlink(temporary).catch(() => {})
    const { code } = Object(error)
    if (typeof code !== 'string') throw error
    throw new CommandError(`${path} cannot be changed: ${code}`)
  }
}
