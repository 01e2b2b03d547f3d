import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSshKeyPair } from '../../src/ssh.js'

/** In another locale, ssh-keygen escapes what is not ASCII. */
const env = { ...process.env, LC_ALL: 'C.UTF-8' }
const hasSshKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined

/** Runs `work` with the path of a file that contains the text and only its owner can read. */
function withFile<Result>(text: string, work: (path: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-ssh-'))
  try {
    const path = join(folder, 'key')
    writeFileSync(path, text, { mode: 0o600 })
    return work(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('createSshKeyPair', () => {
  it.skipIf(!hasSshKeygen).each(['wendy@example.com', '', 'a comment with blanks', 'grün'])(
    'returns keys that ssh-keygen reads, with the comment %j',
    async (comment) => {
      const { privateKey, publicKey, fingerprint } = await createSshKeyPair({ comment })
      const read = (...args: string[]): string =>
        execFileSync('ssh-keygen', args, { encoding: 'utf8', env }).trimEnd()
      const derived = withFile(privateKey, (path) => read('-y', '-P', '', '-f', path))
      expect(derived).toBe(publicKey)
      const listed = withFile(`${publicKey}\n`, (path) => read('-l', '-f', path))
      expect(listed).toBe(`256 ${fingerprint} ${comment || 'no comment'} (ED25519)`)
    },
  )
})
