import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLevelDatabase } from '../../examples/level-database.js'
import { createStore } from '../../examples/store-template/src/index.js'
import { createTestVault } from '../../src/testing.js'
import { runText } from './support/source/program.js'

type LevelDatabase = Awaited<ReturnType<typeof openLevelDatabase>>

const value = (text: string): Uint8Array => new TextEncoder().encode(text)
const isLocked = { cause: { code: 'LEVEL_LOCKED' } }

describe('openLevelDatabase of examples/level-database.ts', () => {
  it('rejects while the same process has the folder open', async () => {
    const { folder } = await openInFolder()
    await expect(openLevelDatabase(folder)).rejects.toMatchObject(isLocked)
  })

  it('rejects while another process has the folder open', async () => {
    const { folder } = await openInFolder()
    const { stdout } = await runText(`
      import { openLevelDatabase } from '../../examples/level-database.js'
      await openLevelDatabase(${JSON.stringify(folder)}).catch(({ cause }) => console.log(cause.code))
    `)
    expect(stdout).toBe('LEVEL_LOCKED\n')
  })

  it('lets one of many concurrent changes of a key win, and compares with deleted values', async () => {
    const { database } = await openInFolder()
    const race = (name: string, expected?: Uint8Array): Promise<boolean[]> =>
      Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          database.change('key', expected, [['key', value(`${name} ${index}`)]]),
        ),
      )
    expect((await race('first')).filter(Boolean)).toHaveLength(1)
    const winner = await database.get('key')
    expect((await race('second', winner)).filter(Boolean)).toHaveLength(1)
    expect(await database.change('key', winner, [])).toBe(false)
    const current = await database.get('key')
    expect(await database.change('key', current, [['key', undefined]])).toBe(true)
    expect(await database.change('key', current, [['key', value('x')]])).toBe(false)
  })

  it('changes a key after an earlier change of it has failed', async () => {
    const { database } = await openInFolder()
    const failing = database.change('key', undefined, [[null as never, value('no key')]])
    const next = database.change('key', undefined, [['key', value('next')]])
    await expect(failing).rejects.toThrow()
    expect(await next).toBe(true)
  })

  it('keeps a vault with its files when it is opened again', async () => {
    const { folder, database } = await openInFolder()
    const { caller, item, largeFile, vaultId } = await createTestVault({
      store: createStore(database),
    })
    await database.close()
    const again = await openLevelDatabase(folder)
    onTestFinished(() => again.close())
    const { service } = await createTestVault({ store: createStore(again), randomBytes })
    const ref = { vaultId, itemId: item.id }
    expect(await service.getItem(caller, ref)).toEqual(item)
    const { content } = await service.readFileContent(caller, { ...ref, fileId: largeFile.id })
    expect(new Uint8Array(await new Response(content).arrayBuffer())).toEqual(
      new Uint8Array(1025).fill(7),
    )
  })
})

/** Other randomness than that of the first test vault, so that both can be in one store. */
function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length))
}

/** Opens a new folder, which is removed after the test. */
async function openInFolder(): Promise<{ folder: string; database: LevelDatabase }> {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-level-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = await openLevelDatabase(folder)
  onTestFinished(() => database.close())
  return { folder, database }
}
