import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createCallbackActivityLog } from '../../src/activity.js'
import { type ActivityEntry, createVaultService } from '../../src/index.js'
import { createTestVault } from '../../src/testing.js'
import { observedCalls } from '../support/service/observed-calls.js'
import { toCallRef } from '../support/service/operation-examples.js'

const folder = mkdtempSync(join(tmpdir(), 'cofferkit-log-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns the entries in a file to which a log was only appended: the last line of each counts. */
function readFileLog(path: string): readonly ActivityEntry[] {
  const entries = new Map<string, ActivityEntry>()
  for (const line of readFileSync(path, 'utf8').trimEnd().split('\n')) {
    const entry: ActivityEntry = JSON.parse(line)
    entries.set(`${entry.requestId} ${entry.resource.item?.id ?? ''}`, entry)
  }
  return [...entries.values()]
}

describe('createCallbackActivityLog with a file', () => {
  it.each(observedCalls)('has one entry of $name, which is settled', async ({ name, run }) => {
    const path = join(folder, `${name}.jsonl`)
    const activity = createCallbackActivityLog((entry) => {
      appendFileSync(path, `${JSON.stringify(entry)}\n`)
    })
    const vault = await createTestVault()
    const service = createVaultService({ store: vault.store, activity })
    await run(service, vault.caller, toCallRef(vault)).catch(() => {})
    const entries = readFileLog(path)
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({ operation: name, durationMs: expect.any(Number) })
    expect(entries[0]?.result).not.toBe('PENDING')
  })
})
