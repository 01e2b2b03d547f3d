/** The tokens of a file, which is read again when it changes. */

import { open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createTokenAuthenticator } from '../../auth/tokens.js'
import type { BearerAuthenticator } from '../../http.js'
import type { KnownCaller } from '../../index.js'
import { CommandError, describeError } from '../command-error.js'
import { decodeUserText, describeReadError } from '../read-user-file.js'
import { parseTokenFile, type TokenEntry, toStaticToken } from '../token-file.js'

/** The tokens of a file, as they are now. */
export interface TokenList {
  /** Returns the caller of a token. Rejects with UnauthorizedError for an unknown one. */
  readonly authenticate: BearerAuthenticator<KnownCaller>
  /** Returns the tokens. */
  entries(): readonly TokenEntry[]
  /** Reads the file again, even if it seems unchanged. Never rejects. */
  reload(): Promise<void>
  /** Stops watching the file. */
  close(): void
}

/** Callbacks for the owner of a list. */
export interface TokenListEvents {
  /** The file was read again. `revoked` are the ids of the tokens that were removed or changed. */
  onChange(entries: readonly TokenEntry[], revoked: ReadonlySet<string>): void
  /** The file is broken, so the previous tokens are still accepted, or others can change it. */
  onProblem(message: string): void
}

/** Two checks and the time to read the file take less than half a second. */
const lookMs = 200

/**
 * Opens a token file and watches it. It is checked five times a second, which works even if a
 * directory or a symbolic link is replaced, as Kubernetes does.
 * @param path - The file as the user has written it.
 * @throws CommandError if the file cannot be read or is invalid.
 */
export async function openTokenList(
  folder: string,
  path: string,
  { onChange, onProblem }: TokenListEvents,
): Promise<TokenList> {
  const file = resolve(folder, path)
  let stamp = ''
  let current = createList([])
  let loading: Promise<void> = Promise.resolve()
  const load = async (): Promise<ReadonlySet<string>> => {
    const loaded = await readFile(file, path)
    stamp = loaded.stamp
    const entries = parseTokenFile(decodeUserText(loaded.bytes, path), path)
    const revoked = findRevoked(current.entries, entries)
    current = createList(entries)
    const mode = loaded.mode & 0o777
    if ((mode & 0o77) !== 0 && process.platform !== 'win32')
      onProblem(
        `other users of this machine can open ${path}, which has mode 0${mode.toString(8)}: run chmod 600 ${path}`,
      )
    return revoked
  }
  const reload = (): Promise<void> => {
    loading = loading.then(load).then(
      (revoked) => onChange(current.entries, revoked),
      (error) => {
        const [problem] = describeError(error)
          .replace(/^error: /, '')
          .split('\n')
        onProblem(`${problem}. The previous tokens are still accepted.`)
      },
    )
    return loading
  }
  const look = async (): Promise<void> => {
    const seen = await stampOf(file)
    if (seen === stamp) return
    stamp = seen
    await reload()
  }
  await load()
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look().finally(() => {
      isLooking = false
    })
  }, lookMs).unref()
  const authenticate = async (token: string): Promise<KnownCaller> => {
    const { authenticate: check } = current
    const caller = await check(token)
    // A token that was revoked during the check is not accepted.
    return check === current.authenticate ? caller : authenticate(token)
  }
  return {
    authenticate,
    entries: () => current.entries,
    reload,
    close: () => clearInterval(timer),
  }
}

function createList(entries: readonly TokenEntry[]) {
  return { entries, authenticate: createTokenAuthenticator({ tokens: entries.map(toStaticToken) }) }
}

/** Returns the ids of the entries that are not the same any more. */
function findRevoked(
  before: readonly TokenEntry[],
  after: readonly TokenEntry[],
): ReadonlySet<string> {
  const kept = new Set(after.map((entry) => JSON.stringify(entry)))
  return new Set(before.filter((entry) => !kept.has(JSON.stringify(entry))).map(({ id }) => id))
}

interface LoadedFile {
  readonly bytes: Uint8Array
  /** Another text after any change of the file. */
  readonly stamp: string
  readonly mode: number
}

async function readFile(file: string, path: string): Promise<LoadedFile> {
  try {
    const handle = await open(file)
    try {
      const facts = await handle.stat({ bigint: true })
      const bytes = await handle.readFile()
      return { bytes, stamp: toStamp(facts), mode: Number(facts.mode) }
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw new CommandError(
      `${path} ${describeReadError(error)}`,
      Object(error).code === 'ENOENT'
        ? `Run: npx cofferkit token --tokens ${path} --add ID --vault VAULT=read-write`
        : undefined,
    )
  }
}

async function stampOf(file: string): Promise<string> {
  try {
    return toStamp(await stat(file, { bigint: true }))
  } catch (error) {
    return String(Object(error).code)
  }
}

interface FileFacts {
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
}

function toStamp({ ino, size, mtimeNs, ctimeNs }: FileFacts): string {
  return [ino, size, mtimeNs, ctimeNs].join()
}
