import { describe, expect, it, vi } from 'vitest'
import { DecryptionError, StorageError, StorageUnavailableError } from '../../src/index.js'
import { createSealer, hintOf, type Place } from '../../src/seal.js'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  type KeyProvider,
} from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { type Deployment, deploy, hourMs, minuteMs, settle } from '../support/seal/sealers.js'
import { createKeys, overwriteInner } from '../support/stores/encrypted-stores.js'

const place: Place = ['integrations', 'token', 42]
const ring = { collection: 'seal', id: 'acme' }
const secret = 'hunter2'
const bytesOf = (fill: number) => new Uint8Array(32).fill(fill)
const idsOf = ({ currentKekId, kekIds }: KeyProvider) => ({ currentKekId, kekIds })

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

  it('rejects while the secret of the scope cannot be unwrapped, and names scope and KEK', async () => {
    const deployment = deploy()
    await deployment.start().box('acme')
    deployment.fail = (call) =>
      call === 'unwrap' && deployment.asked.at(-1) === 'acme' ? new Error('denied') : undefined
    const sealer = deployment.start()
    await expect(sealer.box('acme')).rejects.toMatchObject({
      status: 503,
      message: `the key provider failed to unwrap the encryption keys of acme with the KEK ${deployment.keys.currentKekId}`,
    })
    deployment.fail = () => undefined
    const box = await sealer.box('acme')
    expect(box.open(place, box.seal(place, secret))).toBe(secret)
    const other = createSealer(deployment.records, {
      keys: { ...createKeys(), ...idsOf(deployment.keys) },
    })
    await expect(other.box('acme')).rejects.toThrow(
      `the encryption keys of acme do not open with the KEK ${deployment.keys.currentKekId}`,
    )
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
    await vi.waitFor(() => expect(deployment.asked.length).toBeGreaterThan(asked))
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

  it('replaces the keys only when the new ring is open', async () => {
    const deployment = deploy()
    const box = await deployment.start().box('acme')
    const other = deployment.start()
    const opened = box.seal(place, secret)
    await other.rotateDataKeys({ leaked: true })
    deployment.fail = (call) => (call === 'unwrap' ? new Error('denied') : undefined)
    for (let minute = 0; minute < 3; minute++) {
      deployment.advance(minuteMs)
      expect(box.seal(place, secret)).toMatch(/^coffer1\.1\./)
      expect(box.open(place, opened)).toBe(secret)
      await settle()
    }
    deployment.fail = () => undefined
    deployment.advance(minuteMs)
    await vi.waitFor(() => expect(box.seal(place, secret)).toMatch(/^coffer1\.3\./))
    expect(box.open(place, opened)).toBe(secret)
  })

  it('opens the keys again after a ring was forged or erased by somebody else, and came back', async () => {
    const deployment = deploy()
    const { records } = deployment
    const inner = { records, blobs: createMemoryStore().blobs }
    const sealer = deployment.start()
    const box = await sealer.box('acme')
    const sealed = box.seal(place, secret)
    const stored = await records.get(ring)
    const erased = { format: 1, shifted: false, next: true, kekId: '', secret: '', keys: [] }
    const forged = JSON.stringify({ ...erased, sealed: '', mac: btoa('x'.repeat(32)) })
    await overwriteInner(inner, ring, { body: Buffer.from(forged) }, 2)
    deployment.advance(minuteMs)
    box.seal(place, secret)
    await vi.waitFor(() => expect(() => box.open(place, sealed)).toThrow(/erased/))
    await expect(sealer.box('acme')).rejects.toThrow(/erased/)
    await overwriteInner(inner, ring, { body: stored?.body ?? bytesOf(0) })
    deployment.advance(1000)
    expect(() => box.open(place, sealed)).toThrow(/erased/)
    await vi.waitFor(() => expect(box.open(place, sealed)).toBe(secret))
    expect((await sealer.box('acme')).open(place, sealed)).toBe(secret)
  })
})

describe('box, of a process that was idle', () => {
  it('opens what others have sealed after two rotations', async () => {
    const deployment = deploy()
    const [one, idle] = [deployment.start(), deployment.start()]
    const box = await one.box('acme')
    await idle.box('acme')
    for (let times = 0; times < 2; times++) {
      deployment.advance(hourMs)
      await one.rotateDataKeys()
    }
    const sealed = box.seal(place, secret)
    expect((await idle.box('acme')).open(place, sealed)).toBe(secret)
  })

  it('goes on with the keys in memory when the store fails', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    const sealed = (await sealer.box('acme')).seal(place, secret)
    deployment.advance(2 * hourMs)
    deployment.fail = (call) => (call === 'get' ? new Error('down') : undefined)
    expect((await sealer.box('acme')).open(place, sealed)).toBe(secret)
  })
})

describe('the calls of the key provider', () => {
  /** Counts the calls that `work` makes. */
  async function count(deployment: Deployment, work: () => Promise<unknown>) {
    const calls = { wrap: 0, unwrap: 0 }
    deployment.before = async (call) => {
      if (call === 'wrap' || call === 'unwrap') calls[call]++
    }
    await work()
    return calls
  }

  it('are one wrap for a new scope, and one unwrap before the first one of a process', async () => {
    const deployment = deploy()
    const [first, second] = [deployment.start(), deployment.start()]
    expect(await count(deployment, () => first.box('a'))).toEqual({ wrap: 1, unwrap: 1 })
    expect(await count(deployment, () => first.box('b'))).toEqual({ wrap: 1, unwrap: 0 })
    expect(await count(deployment, () => second.box('c'))).toEqual({ wrap: 1, unwrap: 1 })
    expect(await count(deployment, () => second.box('d'))).toEqual({ wrap: 1, unwrap: 0 })
  })

  it('are one wrap and one unwrap for each new scope when each has its provider', async () => {
    const deployment = deploy()
    const keys = { ...deployment.keys, ofScope: () => deployment.keys }
    const sealer = createSealer(deployment.records, { keys })
    for (const scope of ['a', 'b'])
      expect(await count(deployment, () => sealer.box(scope))).toEqual({ wrap: 1, unwrap: 1 })
  })

  it('are one unwrap for an existing scope, however many keys it has', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    await sealer.box('acme')
    for (let times = 0; times < 4; times++) await sealer.rotateDataKeys({ leaked: true })
    const fresh = deployment.start()
    expect(await count(deployment, () => fresh.box('acme'))).toEqual({ wrap: 0, unwrap: 1 })
  })

  it('are one wrap for a rotation', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    await sealer.box('acme')
    const rotate = () => sealer.rotateDataKeys({ leaked: true })
    expect(await count(deployment, rotate)).toEqual({ wrap: 1, unwrap: 0 })
  })

  it('are one unwrap and one wrap to move a ring of six keys to another KEK', async () => {
    const [old, next] = [bytesOf(1), bytesOf(2)]
    const both = createLocalKeyProvider({ keys: { old, next }, keyId: 'next' })
    const deployment = deploy(both)
    const before = createSealer(deployment.records, { keys: createLocalKeyProvider({ key: old }) })
    await before.box('acme')
    for (let times = 0; times < 2; times++) await before.rotateDataKeys({ leaked: true })
    const sealer = deployment.start()
    await sealer.box('globex')
    const rewrap = () => sealer.rewrapKeys({ scopes: ['acme'] })
    expect(await count(deployment, rewrap)).toEqual({ wrap: 1, unwrap: 1 })
    expect(await sealer.check()).toBe(2)
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
  const keysWith = (first: number, second: number, current = 'first') =>
    createLocalKeyProvider({
      keys: { first: bytesOf(first), second: bytesOf(second) },
      keyId: current,
    })

  it('returns how many rings it has opened, of which there may be none', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    expect(await sealer.check()).toBe(0)
    for (const scope of ['a', 'b', 'c']) await sealer.box(scope)
    await sealer.eraseKeys({ scopes: ['b'] })
    expect(await deployment.start().check()).toBe(2)
  })

  it('names every scope and KEK that fails', async () => {
    const { records } = createMemoryStore()
    const keys = keysWith(1, 2, 'second')
    await createSealer(records, { keys: keysWith(1, 2) }).box('a')
    for (const scope of ['b', 'c']) await createSealer(records, { keys }).box(scope)
    const damaged = await records.get({ collection: 'seal', id: 'c' })
    await records.put({ collection: 'seal', id: 'c' }, { body: bytesOf(0) }, damaged?.version ?? 0)
    const other = keysWith(1, 3)
    await expect(createSealer(records, { keys: other }).check()).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: `the encryption keys of b are wrapped with the KEK ${keys.currentKekId}, but the key provider has only ${other.kekIds.join(', ')}; the encryption keys of c are damaged`,
    })
  })

  it('finds every damaged byte of a ring', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    for (const scope of ['acme', 'globex']) await sealer.box(scope)
    const { body, version } = (await deployment.records.get(ring)) ?? { body: bytesOf(0) }
    const inner = { records: deployment.records, blobs: createMemoryStore().blobs }
    for (let at = 0; at < body.length; at += 7) {
      const damaged = Uint8Array.from(body, (byte, index) => (index === at ? byte ^ 1 : byte))
      await overwriteInner(inner, ring, { body: damaged }, version)
      await expect(sealer.check()).rejects.toThrow(/keys of acme/)
    }
  })

  it('rejects with 503 when the provider cannot be reached, and asks once for the KEK', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    for (let scope = 0; scope < 20; scope++) await sealer.box(`${scope}`)
    deployment.fail = (call) => (call === 'unwrap' ? new Error('down') : undefined)
    deployment.asked.length = 0
    await expect(sealer.check()).rejects.toThrow(StorageUnavailableError)
    expect(deployment.asked.length).toBeLessThanOrEqual(8)
  })
})

describe('checkHealth', () => {
  it('resolves when there is no ring, and rejects when the provider fails, also with keys in memory', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    await sealer.checkHealth()
    await sealer.box('acme')
    deployment.fail = (call) => (call === 'unwrap' ? new Error('down') : undefined)
    await expect(sealer.checkHealth()).rejects.toThrow(StorageUnavailableError)
  })

  it('asks the provider at most once in 10 s', async () => {
    const deployment = deploy()
    const sealer = deployment.start()
    await sealer.box('acme')
    deployment.asked.length = 0
    for (let call = 0; call < 3; call++) await sealer.checkHealth()
    expect(deployment.asked.length).toBe(1)
    deployment.fail = (call) => (call === 'unwrap' ? new Error('down') : undefined)
    deployment.advance(9_999)
    await sealer.checkHealth()
    deployment.advance(1)
    for (let call = 0; call < 3; call++)
      await expect(sealer.checkHealth()).rejects.toThrow(StorageUnavailableError)
    expect(deployment.asked.length).toBe(2)
  })

  it('does not fail because of the KEK of a tenant, which fails check', async () => {
    const { records } = createMemoryStore()
    const [ours, theirs] = [createKeys(), createKeys()]
    const denied = { ...theirs, unwrap: () => Promise.reject(new Error('denied')) }
    const start = (ofTenant: KeyProvider) =>
      createSealer(records, {
        keys: { ...ours, ofScope: (scope) => (scope === 'acme' ? ofTenant : ours) },
      })
    for (const scope of ['acme', 'globex']) await start(theirs).box(scope)
    await start(denied).checkHealth()
    await expect(start(denied).check()).rejects.toMatchObject({ status: 503 })
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
      if (call !== 'unwrap' || ++calls !== 1) return
      read()
      await erased
    }
    const loading = sealer.box('acme')
    await reading
    expect(await sealer.eraseKeys({ scopes: ['acme'] })).toBe(1)
    erase()
    await expect(loading).rejects.toThrow(/erased/)
    await expect(sealer.box('acme')).rejects.toThrow(/erased/)
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
