import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DecryptionError } from '../../src/index.js'
import type { LegacyFormat, Place, SealedBox } from '../../src/seal.js'
import { deploy } from '../support/seal/sealers.js'

const place: Place = ['integrations', 'token', 42]

async function createBox(scope = 'acme', legacy: readonly LegacyFormat[] = []): Promise<SealedBox> {
  return deploy().start({ legacy }).box(scope)
}

describe('SealedBox', () => {
  it('opens every well-formed text that it has sealed', async () => {
    const box = await createBox()
    const texts = fc
      .string({ unit: 'binary', maxLength: 6000 })
      .filter((text) => text.isWellFormed())
    fc.assert(
      fc.property(texts, (text) => {
        const sealed = box.seal(place, text)
        expect(sealed).toMatch(/^coffer1\.1\.[\w-]+$/)
        expect(box.open(place, sealed)).toBe(text)
      }),
    )
  })

  it('keeps a byte order mark and an empty value, and never returns the same text twice', async () => {
    const box = await createBox()
    expect(box.open(place, box.seal(place, '\uFEFFa'))).toBe('\uFEFFa')
    expect(box.open(place, box.seal(place, ''))).toBe('')
    expect(box.seal(place, 'a')).not.toBe(box.seal(place, 'a'))
  })

  it('returns 117 characters for a value of 40', async () => {
    expect((await createBox()).seal(place, 'a'.repeat(40))).toHaveLength(117)
  })

  const places: readonly Place[] = [
    ['integrations', 'token', 42],
    ['integrations', 'token', 43],
    ['integrations', 'secret', 42],
    ['accounts', 'token', 42],
    ['integrations', 'token', 42, 1],
    ['integrations', 'token', 4, 2],
    ['integrations', 'token', '4', '21'],
    ['integrationstoken', 'x', 42],
  ]
  it('opens a value at no other place and in no other scope', async () => {
    const sealer = deploy().start()
    const boxes = [await sealer.box('acme'), await sealer.box('globex')]
    for (const [from, own] of boxes.entries())
      for (const one of places) {
        const sealed = own.seal(one, 'hunter2')
        for (const [to, other] of boxes.entries())
          for (const another of places)
            if (from === to && one === another) expect(other.open(another, sealed)).toBe('hunter2')
            else expect(() => other.open(another, sealed)).toThrow(DecryptionError)
      }
  })

  it('treats a number, a bigint and their decimal string as one id, but not another case', async () => {
    const box = await createBox()
    const sealed = box.seal(['t', 'c', 1], 'hunter2')
    expect(box.open(['t', 'c', '1'], sealed)).toBe('hunter2')
    expect(box.open(['t', 'c', 1n], sealed)).toBe('hunter2')
    const byUuid = box.seal(['t', 'c', 'a0b1'], 'hunter2')
    expect(() => box.open(['t', 'c', 'A0B1'], byUuid)).toThrow(DecryptionError)
  })

  it('throws a DecryptionError after any change of a character, and for any other form of the text', async () => {
    const box = await createBox()
    const sealed = box.seal(place, 'hunter2')
    const [start = '', id, encoded = ''] = sealed.split('.')
    const changed = [...sealed].map((character, index) => {
      const other = character === 'A' ? 'B' : 'A'
      return sealed.slice(0, index) + other + sealed.slice(index + 1)
    })
    const forms = [
      ...[`${start}.01.${encoded}`, `${start}.0.${encoded}`, `${start}.65536.${encoded}`],
      ...[`${start}.${id}.${encoded}=`, `${start}.${id}.${encoded}A`, `${start}.${id}.`],
      ...[`${start}.${id}`, `${start}.`, `${sealed} `, `${sealed}\n`, ` ${sealed}`],
      `${start}.${id}.${Buffer.from(encoded, 'base64url').toString('base64')}`,
    ]
    for (const text of [...changed, ...forms])
      if (text !== sealed) expect(() => box.open(place, text), text).toThrow(DecryptionError)
  })

  it('refuses a text whose unused bits are not zero, which Buffer would accept', async () => {
    const box = await createBox()
    // 41 bytes: the last of 55 characters has two unused bits.
    const sealed = box.seal(place, 'a')
    const last = sealed.at(-1) ?? ''
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const same = sealed.slice(0, -1) + alphabet[alphabet.indexOf(last) + 1]
    const bytesOf = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url')
    expect(bytesOf(same)).toEqual(bytesOf(sealed))
    expect(() => box.open(place, same)).toThrow(DecryptionError)
  })

  it('never returns a text that is not sealed', async () => {
    const box = await createBox()
    expect(() => box.open(place, 'hunter2')).toThrow(
      new DecryptionError('the value of integrations.token is not sealed'),
    )
    expect(() => box.open(place, 'hunter2')).not.toThrow(/hunter2/)
  })

  it.each([
    ['a place without a row', () => [['t', 'c'], 'a'], /^place must be a list of a table/],
    ['an empty part', () => [['t', 'c', ''], 'a'], /^place\[2\] must be text, a safe integer/],
    ['an unsafe number', () => [['t', 'c', 2 ** 53], 'a'], /^place\[2\] must be/],
    ['a number as a table', () => [[1, 'c', 1], 'a'], /^place\[0\] must be text$/],
    ['a row that is a promise', () => [['t', 'c', Promise.resolve(1)], 'a'], /is await missing/],
    ['a lone surrogate in the place', () => [['t', 'c', '\uD800'], 'a'], /^place\[2\] must be/],
    ['a lone surrogate in the value', () => [place, 'a\uD800'], /lone surrogate/],
    ['a value that is not text', () => [place, 7], /^value must be a string$/],
  ])('throws a TypeError for %s', async (_, toArguments, message) => {
    const box = await createBox()
    const call = () => Reflect.apply(box.seal, undefined, toArguments())
    expect(call).toThrow(TypeError)
    expect(call).toThrow(message)
  })

  it('seals the values of a column by the ids of their rows', async () => {
    const box = await createBox()
    const tokens = box.column('integrations', 'token')
    expect(box.open(place, tokens.row(42).seal('hunter2'))).toBe('hunter2')
    expect(tokens.row(42).open(box.seal(place, 'hunter2'))).toBe('hunter2')
    const members = box.column('members', 'key')
    const sealed = members.row(['acme', 7]).seal('hunter2')
    expect(box.open(['members', 'key', 'acme', 7], sealed)).toBe('hunter2')
    expect(() => members.row('acme').open(sealed)).toThrow(DecryptionError)
    expect(() => box.column('', 'key')).toThrow(/^place\[0\]/)
  })

  it('throws a TypeError for the id of a row before a value is passed', async () => {
    const tokens = (await createBox()).column('integrations', 'token')
    const rowOf = (id: unknown) => () => Reflect.apply(tokens.row, undefined, [id])
    for (const id of ['', 1.5, undefined, ['acme', ''], []])
      expect(rowOf(id)).toThrow(/^place(?:\[\d\])? must be/)
    expect(rowOf(Promise.resolve(1))).toThrow(/is await missing/)
  })

  it('takes the id of a row and its value in separate calls only', async () => {
    const tokens = (await createBox()).column('integrations', 'token')
    expect(Object.keys(tokens)).toEqual(['row'])
    // @ts-expect-error Two strings that could be swapped.
    expect(() => tokens.seal('42', 'hunter2')).toThrow(TypeError)
  })
})

describe('LegacyFormat', () => {
  const reversed: LegacyFormat = {
    matches: (text) => text.startsWith('old:'),
    open: (text) => [...text.slice('old:'.length)].reverse().join(''),
  }

  it('opens values in the format that matches, and reseal seals them', async () => {
    const sealer = deploy().start({ legacy: [{ ...reversed, matches: () => false }, reversed] })
    const box = await sealer.box('acme')
    expect(box.open(place, 'old:2retnuh')).toBe('hunter2')
    expect(box.isCurrent('old:2retnuh')).toBe(false)
    const sealed = await sealer.reseal('acme', place, 'old:2retnuh')
    expect(box.open(place, sealed ?? '')).toBe('hunter2')
    expect(await sealer.reseal('acme', place, sealed ?? '')).toBeUndefined()
  })

  it('is not asked for a sealed value, even if that is damaged', async () => {
    const box = await createBox('acme', [{ matches: () => true, open: (text) => text }])
    expect(() => box.open(place, `${box.seal(place, 'a')}A`)).toThrow(DecryptionError)
  })

  it('throws a DecryptionError without the message of a format that throws', async () => {
    const fail = () => {
      throw new RangeError('hunter2')
    }
    for (const legacy of [
      { ...reversed, open: fail },
      { ...reversed, matches: fail },
    ]) {
      const box = await createBox('acme', [legacy])
      const call = () => box.open(place, 'old:2retnuh')
      expect(call).toThrow(DecryptionError)
      expect(call).not.toThrow(/hunter2/)
    }
  })

  it('throws a TypeError for a format whose open returns a promise', async () => {
    const open = (async () => 'hunter2') as unknown as LegacyFormat['open']
    const box = await createBox('acme', [{ ...reversed, open }])
    expect(() => box.open(place, 'old:2retnuh')).toThrow(TypeError)
  })
})
