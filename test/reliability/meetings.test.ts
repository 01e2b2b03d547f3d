import { describe, expect, it } from 'vitest'
import { createModel, type Effect, nothing } from '../../tools/reliability/meetings/model.js'
import { type Act, type Program, runProgram } from '../../tools/reliability/meetings/program.js'
import { changedSource, variants } from '../../tools/reliability/meetings/variants.js'

const act = (name: Act['do'], more: Partial<Act> = {}): Act => ({
  do: name,
  by: 0,
  vault: 0,
  item: 0,
  ...more,
})
const setup: Program['setup'] = { keyRings: 'with the data', history: 2, hasLog: true }
const run = (...acts: Act[]): Promise<void> => runProgram('memory', { setup, acts })

/** Programs that broke a promise before it was mended. */
describe('runProgram', () => {
  it('erases a vault that had a credential, and creates none under its id', () =>
    run(
      act('createVault'),
      act('createItem'),
      act('saveCredential'),
      act('saveGrant'),
      act('deleteVault'),
      act('eraseKeys', { by: 1 }),
      act('createVault', { by: 2 }),
      act('createVault', { by: 0 }),
      act('eraseKeys', { by: 2 }),
    ))

  it('keeps versions of a deleted item out of one with its id, whatever interrupts the deletion', async () => {
    for (const call of [2, 4, 6])
      for (const kind of ['kill', 'pause'] as const)
        await run(
          act('createVault'),
          act('createItem'),
          act('replaceItem'),
          act('deleteItem', { interrupt: { kind, call, side: 'after' } }),
          act('createItem', { by: 1 }),
          act('replaceItem', { by: 1 }),
          act('resume'),
          act('collectGarbage', { by: 2 }),
        )
  })

  it('uses no key of a transaction that was rolled back', () =>
    run(
      act('createVault', { rollBack: true }),
      act('createVault'),
      act('createItem', { rollBack: true }),
      act('createItem'),
      act('rotateDataKeys', { rollBack: true }),
      act('replaceItem'),
    ))

  it('writes over damaged records, and lists the others', () =>
    run(
      act('createVault'),
      act('createItem'),
      act('createItem', { item: 1 }),
      act('saveCredential'),
      act('damage'),
      act('damageCredential'),
      act('replaceItem'),
      act('replaceDamagedItem', { by: 1 }),
      act('saveCredential', { by: 2 }),
      act('damage', { item: 1 }),
      act('deleteItem', { item: 1 }),
    ))

  it('keeps each version that an interrupted deletion lets garbage collection replace', () =>
    runProgram('memory', {
      setup: { keyRings: undefined, history: 2, hasLog: false },
      acts: [
        act('createVault'),
        act('createItem'),
        act('attachFile'),
        act('saveCredential'),
        act('saveGrant', { by: 1 }),
        act('deleteVault', { interrupt: { kind: 'fail', call: 4, side: 'after' } }),
        act('wait'),
        act('collectGarbage'),
      ],
    }))

  it('erases no keys in a transaction that is rolled back, wherever they are', () =>
    runProgram('memory', {
      setup: { keyRings: 'elsewhere', history: 0, hasLog: false },
      acts: [
        act('createVault'),
        act('createItem'),
        act('deleteVault'),
        act('eraseKeys', { rollBack: true }),
        act('createVault'),
      ],
    }))

  it('knows that an erasure that failed may not have erased anything', () =>
    run(
      act('createVault'),
      act('createItem'),
      act('deleteVault'),
      act('eraseKeys', { interrupt: { kind: 'fail', call: 1, side: 'before' } }),
      act('eraseKeys'),
    ))

  it('knows that an id that the vault has made cannot be chosen', () =>
    run(
      act('createVaultWithRandomId'),
      act('deleteVault', { vault: 2 }),
      act('createVault', { vault: 2 }),
    ))

  it('knows that nothing can delete the files of a damaged item', () =>
    run(
      act('createVault'),
      act('createItem'),
      act('attachFile'),
      act('damage'),
      act('deleteVault'),
      act('eraseKeys'),
    ))

  it('refuses a process without keys', () =>
    run(act('createVault'), act('startWithoutKeys'), act('createItem')))
})

describe('createModel', () => {
  const write = (mark: string): Effect => ({ can: () => true, to: () => mark, mark })

  it('throws when something else is read than what was acknowledged', () => {
    const model = createModel()
    const step = model.begin(new Map([['item v/i', write('m1')]]))
    expect(model.possible('item v/i')).toEqual(new Set([nothing, 'm1']))
    model.end(step, 'done')
    expect(() => model.observe('item v/i', nothing, 'a reader')).toThrow('P1')
    expect(() => model.observe('item v/i', 'm0', 'a reader')).toThrow('P1 or P2')
    model.observe('item v/i', 'm1', 'a reader')
  })

  it('throws when two processes read what a failed step has made differently', () => {
    const model = createModel()
    model.end(model.begin(new Map([['item v/i', write('m1')]])), 'unknown')
    model.observe('item v/i', 'm1', 'one')
    expect(() => model.observe('item v/i', nothing, 'another')).toThrow('another reads nothing')
  })

  it('allows any order of steps that overlap', () => {
    const model = createModel()
    const slow = model.begin(new Map([['item v/i', write('m1')]]))
    model.end(model.begin(new Map([['item v/i', write('m2')]])), 'done')
    model.end(slow, 'done')
    for (const mark of ['m1', 'm2']) expect(model.possible('item v/i')).toContain(mark)
    expect(model.possible('item v/i')).not.toContain(nothing)
  })
})

describe('variants', () => {
  it('have names of their own', () => {
    expect(new Set(variants.map(({ name }) => name)).size).toBe(variants.length)
  })

  it.each(variants.map((variant) => [variant.name, variant] as const))(
    'apply: %s',
    (_, variant) => {
      expect(changedSource(variant)).toContain(variant.to)
    },
  )
})
