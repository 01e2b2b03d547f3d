/** Runs a line as if it were pasted into a shell. */

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A shell with curl, or with a replacement where curl is not installed. */
export interface Shell {
  /** Returns the output of a line. @throws Error if the line fails. */
  paste(line: string): string
  /** Removes the temporary files of the shell. */
  close(): void
}

/** Creates a shell. */
export function createShell(): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-shell-'))
  if (!hasCurl()) {
    const standIn = fileURLToPath(new URL('../http/curl.ts', import.meta.url))
    writeFileSync(join(folder, 'curl'), `#!/bin/sh\nexec '${process.execPath}' '${standIn}' "$@"\n`)
    chmodSync(join(folder, 'curl'), 0o755)
  }
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` }
  return {
    paste: (line) => execFileSync('sh', ['-c', line], { env, encoding: 'utf8' }),
    close: () => rmSync(folder, { recursive: true }),
  }
}

/** True if curl is installed. */
export function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
