import { describe, expect, it, vi } from 'vitest'
import { DecryptionError, StorageError, StorageUnavailableError } from '../../src/index.js'
import { createSealer, hintOf, type Place } from '../../src/seal.js'
import { createEncryptedStore, createLocalKeyProvider } from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { deploy, hourMs, minuteMs, settle } from '../support/seal/sealers.js'

const place: Place = ['integrations', 'token', 42]
const ring = { collection: 'seal', id: 'acme' }
const secret = 'hunter2'
const bytesOf = (fill: number) => new Uint8Array(32).fill(fill)

describe('createSealer', () => {
  it('opens what another process has sealed, and creates one ring when both begin at once', async () => {
    const deployment = deploy()
    const [one, two] = await Promise.all([
      deployment.start().box('acme'),
      deployment.start().box('acme'),
    ])
    expect(two.open(place, one.seal(place, secret))).toBe(secret)
    expect((await deployment.records.get(ring))?.version).toBe(1)
  })

  it('goes on when the clock returns an invalid date, with the age of the other clock', async () => {
    const deployment = deploy()
    let time = new Date('2026-01-01')
    const box = await deployment.start({ now: () => time }).box('acme')
    time = new Date(Number.NaN)
    expect(box.open(place, box.seal(place, secret))).toBe(secret)
  })

  it('reads nothing for a box whose keys are in memory', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    await sealer.box('acme')
    deployment.fail = () => new Error('down')
    expect(await sealer.box('acme')).toBe(await sealer.box('acme'))
  })

  it('rejects a ring of a vault, and a key of a vault in a ring', async () => {
    const { records } = createMemoryStore()
    const keys = createLocalKeyProvider({ key: bytesOf(1) })
    const store = createEncryptedStore({ records, blobs: createMemoryStore().blobs }, { keys })
    await store.records.put({ collection: 'items/acme', id: 'a' }, { body: bytesOf(0) }, 0)
    await store.rotateDataKeys()
    const vaultRing = await records.get({ collection: 'keys', id: 'acme' })
    await records.put(ring, { body: vaultRing?.body ?? bytesOf(0) }, 0)
    await expect(createSealer(records, { keys }).box('acme')).rejects.toThrow(DecryptionError)
  })

  it('rejects while the current key of the scope cannot be unwrapped', async () => {
    const deployment = deploy()
    await deployment.start().box('acme')
    deployment.fail = (call) =>
      call === 'unwrap' && deployment.asked.at(-1) === 'acme 1' ? new Error('denied') : undefined
    const sealer = deployment.start()
    await expect(sealer.box('acme')).rejects.toThrow(StorageUnavailableError)
    deployment.fail = () => undefined
    const box = await sealer.box('acme')
    expect(box.open(place, box.seal(place, secret))).toBe(secret)
  })

  it('reads a ring that cannot be opened at most once a second', async () => {
    const deployment = deploy()
    const { records } = deployment
    await deployment.start().box('acme')
    const stored = await records.get(ring)
    await records.put(ring, { body: bytesOf(0) }, stored?.version ?? 0)
    let reads = 0
    deployment.before = async (call) => {
      if (call === 'get') reads++
    }
    const sealer = deployment.start()
    for (let call = 0; call < 3; call++)
      await expect(sealer.box('acme')).rejects.toThrow(DecryptionError)
    expect(reads).toBe(1)
    deployment.advance(1000)
    await expect(sealer.box('acme')).rejects.toThrow(DecryptionError)
    expect(reads).toBe(2)
  })

  it('rejects an invalid scope, and options that are wrong', async () => {
    const { records } = createMemoryStore()
    const keys = createLocalKeyProvider({ key: bytesOf(1) })
    const sealer = createSealer(records, { keys })
    for (const scope of ['', 'é', 'a'.repeat(129)])
      await expect(sealer.box(scope)).rejects.toThrow(TypeError)
    await expect(sealer.box(7 as never)).rejects.toThrow(TypeError)
    for (const maxKeyAgeMs of [999, 2 ** 31, Number.POSITIVE_INFINITY])
      expect(() => createSealer(records, { keys, maxKeyAgeMs })).toThrow(RangeError)
    expect(() => createSealer(records, { keys, legacy: [{}] as never })).toThrow(/legacy\[0\]/)
  })

  it('keeps 4,096 boxes, and makes the least recently requested one again', async () => {
    const sealer = deploy().start()
    const first = await sealer.box('0')
    for (let scope = 1; scope <= 4096; scope++) await sealer.box(`${scope}`)
    const again = await sealer.box('0')
    expect(again).not.toBe(first)
    expect(again.open(place, first.seal(place, secret))).toBe(secret)
    expect(await sealer.eraseKeys({ scopes: ['0'] })).toBe(1)
    for (const erased of [first, again]) expect(() => erased.seal(place, secret)).toThrow(/erased/)
    await sealer.close()
    expect(() => first.seal(place, secret)).toThrow(StorageUnavailableError)
  })
})

describe('rotateDataKeys', () => {
  it('adds a key that is used after the next rotation only', async () => {
    const deployment = deploy()
    const [one, two] = [deployment.start(), deployment.start()]
    const box = await one.box('acme')
    const other = await two.box('acme')
    const first = box.seal(place, secret)
    for (const current of [2, 3]) {
      deployment.advance(hourMs)
      expect(await one.rotateDataKeys()).toBe(1)
      const sealed = box.seal(place, secret)
      expect(sealed).toMatch(new RegExp(`^coffer1\\.${current}\\.`))
      // The other process has read the ring at most one rotation ago.
      expect(other.open(place, sealed)).toBe(secret)
      const start = `coffer1.${current}.`
      await vi.waitFor(() => expect(other.seal(place, secret)).toContain(start))
    }
    expect(box.isCurrent(first)).toBe(false)
    expect(box.open(place, first)).toBe(secret)
  })

  it('leaves a scope as it is for an hour, whatever the clock says that made its last key', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    await sealer.box('acme')
    expect(await sealer.rotateDataKeys()).toBe(0)
    deployment.advance(hourMs - 1)
    expect(await sealer.rotateDataKeys()).toBe(0)
    deployment.advance(1)
    expect(await deployment.start({}, 24 * hourMs).rotateDataKeys()).toBe(1)
    expect(await sealer.rotateDataKeys()).toBe(1)
    await expect(sealer.rotateDataKeys({ scopes: ['globex'] })).rejects.toThrow(RangeError)
  })

  it('stops using every key at once with leaked, and other processes answer 503 until they have read', async () => {
    const deployment = deploy()
    const [one, two] = [deployment.start(), deployment.start()]
    const box = await one.box('acme')
    const other = await two.box('acme')
    deployment.advance(10_000)
    expect(await one.rotateDataKeys({ leaked: true })).toBe(1)
    const sealed = box.seal(place, secret)
    expect(sealed).toMatch(/^coffer1\.3\./)
    expect(() => other.open(place, sealed)).toThrow(StorageUnavailableError)
    await vi.waitFor(() => expect(other.open(place, sealed)).toBe(secret))
    expect(other.seal(place, secret)).toMatch(/^coffer1\.3\./)
  })

  it('succeeds although the process that rotates cannot read the keys again', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    await sealer.box('acme')
    deployment.advance(hourMs)
    let calls = 0
    deployment.fail = (call) => (call === 'get' && ++calls > 2 ? new Error('down') : undefined)
    expect(await sealer.rotateDataKeys()).toBe(1)
  })
})

describe('a key id that is not in memory', () => {
  async function forge(keyId: number) {
    const deployment = deploy()
    const box = await deployment.start().box('acme')
    const sealed = box.seal(place, secret).replace('.1.', `.${keyId}.`)
    return { deployment, box, sealed }
  }

  it('is a DecryptionError once a later reading has not found it', async () => {
    const { deployment, box, sealed } = await forge(9)
    deployment.advance(1000)
    expect(() => box.open(place, sealed)).toThrow(StorageUnavailableError)
    await settle()
    expect(() => box.open(place, sealed)).toThrow(DecryptionError)
  })

  it('is read again at most once a second', async () => {
    const { deployment, box, sealed } = await forge(9)
    let reads = 0
    deployment.fail = (call) => {
      if (call === 'get') reads++
      return undefined
    }
    deployment.advance(1000)
    for (let id = 9; id < 14; id++) {
      expect(() => box.open(place, sealed.replace('.9.', `.${id}.`))).toThrow()
      await settle()
    }
    expect(reads).toBe(1)
    deployment.advance(1000)
    expect(() => box.open(place, sealed)).toThrow(DecryptionError)
    await settle()
    expect(reads).toBe(2)
  })

  it('is a DecryptionError at once where 16 others are remembered, until the ring has changed', async () => {
    const { deployment, box, sealed } = await forge(9)
    deployment.fail = () => new Error('down')
    const open = (id: number) => () => box.open(place, sealed.replace('.9.', `.${id}.`))
    for (let id = 100; id < 116; id++) expect(open(id)).toThrow(StorageUnavailableError)
    expect(open(116)).toThrow(DecryptionError)
    deployment.fail = () => undefined
    const other = deployment.start()
    expect(await other.rotateDataKeys({ leaked: true })).toBe(1)
    deployment.advance(1000)
    expect(open(3)).toThrow(DecryptionError)
    const theirs = (await other.box('acme')).seal(place, secret)
    await vi.waitFor(() => expect(box.open(place, theirs)).toBe(secret))
  })
})

describe('maxKeyAgeMs', () => {
  it('asks the provider again at half of the age, and goes on with the keys while it fails', async () => {
    const deployment = deploy()
    const sealer = deployment.start({ maxKeyAgeMs: 10 * minuteMs })
    const box = await sealer.box('acme')
    const asked = deployment.asked.length
    deployment.advance(4 * minuteMs)
    box.seal(place, secret)
    await settle()
    expect(deployment.asked.length).toBe(asked)
    deployment.fail = (call) => (call === 'unwrap' ? new Error('denied') : undefined)
    deployment.advance(minuteMs)
    box.seal(place, secret)
    await settle()
    expect(deployment.asked.length).toBeGreaterThan(asked)
    deployment.advance(5 * minuteMs)
    expect(() => box.seal(place, secret)).toThrow(StorageUnavailableError)
    await expect(sealer.box('acme')).rejects.toThrow(StorageUnavailableError)
    deployment.fail = () => undefined
    await sealer.box('acme')
    expect(box.open(place, box.seal(place, secret))).toBe(secret)
  })

  it('ends the use of a box that was kept, whose next use asks for the keys', async () => {
    const deployment = deploy()
    const box = await deployment.start({ maxKeyAgeMs: minuteMs }).box('acme')
    deployment.advance(minuteMs)
    expect(() => box.isCurrent('coffer1.1.')).toThrow(StorageUnavailableError)
    await vi.waitFor(() => expect(box.open(place, box.seal(place, secret))).toBe(secret))
  })
})

describe('a reading in the background', () => {
  it('begins with the first use after a minute, and changes nothing when it fails', async () => {
    const deployment = deploy()
    const box = await deployment.start().box('acme')
    const calls: string[] = []
    deployment.fail = (call) => {
      calls.push(call)
      return new Error('down')
    }
    deployment.advance(minuteMs - 1)
    box.seal(place, secret)
    expect(calls).toEqual([])
    deployment.advance(1)
    const sealed = box.seal(place, secret)
    await settle()
    expect(calls).toEqual(['get'])
    expect(box.open(place, sealed)).toBe(secret)
  })

  it('unwraps only the keys that are new, and those that failed before', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    await sealer.box('acme')
    for (let times = 0; times < 10; times++) await sealer.rotateDataKeys({ leaked: true })
    deployment.fail = (call) =>
      call === 'unwrap' && deployment.asked.at(-1) === 'acme 5' ? new Error('denied') : undefined
    const fresh = deployment.start()
    deployment.asked.length = 0
    const box = await fresh.box('acme')
    // The first one verifies the ring.
    expect(deployment.asked.length).toBe(23)
    const old = box.seal(place, secret).replace(/^coffer1\.\d+\./, 'coffer1.5.')
    expect(() => box.open(place, old)).toThrow(StorageUnavailableError)
    deployment.asked.length = 0
    deployment.fail = () => undefined
    deployment.advance(minuteMs)
    box.seal(place, secret)
    await vi.waitFor(() => expect(() => box.open(place, old)).toThrow(DecryptionError))
    expect(deployment.asked).toEqual(['acme 5'])
  })
})

describe('ofScope', () => {
  it('gives the keys of each tenant a provider, whose former KEK cannot open them', async () => {
    const { records } = createMemoryStore()
    const ours = createLocalKeyProvider({ key: bytesOf(1) })
    const theirs = createLocalKeyProvider({ keys: { theirs: bytesOf(2) }, keyId: 'theirs' })
    const keys = { ...ours, ofScope: (scope: string) => (scope === 'acme' ? theirs : ours) }
    const sealed = (await createSealer(records, { keys }).box('acme')).seal(place, secret)
    const box = await createSealer(records, { keys: theirs }).box('acme')
    expect(box.open(place, sealed)).toBe(secret)
    await expect(createSealer(records, { keys: ours }).box('acme')).rejects.toThrow(DecryptionError)
  })
})

describe('rewrapKeys', () => {
  it('wraps the keys with the current KEK, so that the former one can be removed', async () => {
    const old = { old: bytesOf(1) }
    const both = { ...old, next: bytesOf(2) }
    const before = createLocalKeyProvider({ keys: old, keyId: 'old' })
    const { records } = createMemoryStore()
    const sealed = (await createSealer(records, { keys: before }).box('acme')).seal(place, secret)
    const during = createLocalKeyProvider({ keys: both, keyId: 'next' })
    const sealer = createSealer(records, { keys: during })
    expect(await sealer.rewrapKeys()).toBe(1)
    expect(await sealer.rewrapKeys()).toBe(0)
    const after = createLocalKeyProvider({ keys: { next: bytesOf(2) }, keyId: 'next' })
    const box = await createSealer(records, { keys: after }).box('acme')
    expect(box.open(place, sealed)).toBe(secret)
  })
})

describe('eraseKeys', () => {
  it('erases the keys of a scope for every process, and of no other', async () => {
    const deployment = deploy()
    const [one, two] = [deployment.start(), deployment.start()]
    const [box, other] = [await one.box('acme'), await two.box('acme')]
    const globex = await one.box('globex')
    const sealed = box.seal(place, secret)
    expect(await one.eraseKeys({ scopes: ['acme', 'initech'] })).toBe(1)
    expect(await one.eraseKeys({ scopes: ['acme'] })).toBe(0)
    expect(() => box.open(place, sealed)).toThrow(StorageError)
    expect(other.open(place, sealed)).toBe(secret)
    deployment.advance(minuteMs)
    other.isCurrent(sealed)
    await vi.waitFor(() => expect(() => other.open(place, sealed)).toThrow(/erased/))
    for (const erased of [box, other]) {
      expect(() => erased.open(place, sealed)).toThrow(/erased/)
      expect(() => erased.seal(place, secret)).toThrow(/erased/)
    }
    for (const sealer of [one, two, deployment.start()])
      await expect(sealer.box('acme')).rejects.toThrow(/erased/)
    expect(globex.open(place, globex.seal(place, secret))).toBe(secret)
  })
})

describe('check', () => {
  it('names the first KEK that fails, and the scope', async () => {
    const { records } = createMemoryStore()
    const keys = { first: bytesOf(1), second: bytesOf(2) }
    await createSealer(records, { keys: createLocalKeyProvider({ keys, keyId: 'first' }) }).box('a')
    await createSealer(records, { keys: createLocalKeyProvider({ keys, keyId: 'second' }) }).box(
      'b',
    )
    const sealerWith = (second: number) => {
      const changed = { first: bytesOf(1), second: bytesOf(second) }
      return createSealer(records, {
        keys: createLocalKeyProvider({ keys: changed, keyId: 'first' }),
      })
    }
    await sealerWith(2).check()
    await expect(sealerWith(3).check()).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: 'the KEK second does not unwrap the keys of the scope b',
    })
  })

  it('rejects with 503 when the provider cannot be reached', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    await sealer.box('acme')
    deployment.fail = (call) => (call === 'unwrap' ? new Error('down') : undefined)
    await expect(sealer.check()).rejects.toThrow(StorageUnavailableError)
  })
})

describe('close', () => {
  it('waits for calls in progress, and refuses every further one with 503', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    const box = await sealer.box('acme')
    const sealed = box.seal(place, secret)
    const opening = sealer.box('globex')
    await sealer.close()
    await opening
    await sealer.close()
    expect(() => box.open(place, sealed)).toThrow(StorageUnavailableError)
    await expect(sealer.box('acme')).rejects.toThrow(StorageUnavailableError)
    await expect(sealer.rotateDataKeys()).rejects.toThrow(StorageUnavailableError)
  })
})

describe('eraseKeys, while the keys are read', () => {
  it('leaves none of them in memory', async () => {
    const deployment = deploy()
    await deployment.start().box('acme')
    const sealer = deployment.start()
    let calls = 0
    const { promise: reading, resolve: read } = Promise.withResolvers<void>()
    const { promise: erased, resolve: erase } = Promise.withResolvers<void>()
    deployment.before = async (call) => {
      // The first call verifies the ring.
      if (call !== 'unwrap' || ++calls !== 2) return
      read()
      await erased
    }
    const loading = sealer.box('acme')
    await reading
    expect(await sealer.eraseKeys({ scopes: ['acme'] })).toBe(1)
    erase()
    const box = await loading
    expect(() => box.seal(place, secret)).toThrow(/erased/)
  })
})

describe('a restored backup', () => {
  it('loses nothing when its rings are one rotation old', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    const box = await sealer.box('acme')
    const backup = await deployment.records.get(ring)
    deployment.advance(hourMs)
    await sealer.rotateDataKeys()
    const sealed = box.seal(place, secret)
    const { version = 0 } = (await deployment.records.get(ring)) ?? {}
    await deployment.records.delete(ring, version)
    await deployment.records.put(ring, { body: backup?.body ?? bytesOf(0) }, 0)
    const restarted = await deployment.start().box('acme')
    expect(restarted.open(place, sealed)).toBe(secret)
    // A process that has read the newer ring goes on with it.
    deployment.advance(minuteMs)
    expect(box.open(place, restarted.seal(place, secret))).toBe(secret)
    await settle()
    expect(restarted.open(place, box.seal(place, secret))).toBe(secret)
  })
})

describe('hintOf', () => {
  it('returns the last four characters of a long value, and nothing of a short one', () => {
    expect(hintOf('sk_live_51J8fJKQWXYZ')).toBe('…WXYZ')
    expect(hintOf('sk_live_51J8fWX')).toBeUndefined()
    expect(hintOf('sk_live_51J8fJKQWXY-')).toBeUndefined()
    expect(() => hintOf(7 as never)).toThrow(TypeError)
  })
})
