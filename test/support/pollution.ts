/** Looks whether anything has been written onto what all objects share. */

import { expect } from 'vitest'

const shared = [Object, Array, Function, String, Number, Map].flatMap((owner) => [
  owner,
  owner.prototype,
])
const before = shared.map(snapshot)

/** Fails if a shared object or prototype is not as it was when this file was loaded. */
export function expectUnpolluted(): void {
  if (!isUnpolluted()) expect(shared.map(snapshot)).toEqual(before)
}

/** Whether all shared objects and prototypes are as they were when this file was loaded. */
export function isUnpolluted(): boolean {
  return shared.every((owner, index) => {
    const now = snapshot(owner)
    const then = before[index]
    return (
      now.size === then?.size && [...now].every(([key, value]) => Object.is(then.get(key), value))
    )
  })
}

function snapshot(owner: object): ReadonlyMap<PropertyKey, unknown> {
  return new Map(
    Reflect.ownKeys(owner).map((key) => [key, Object.getOwnPropertyDescriptor(owner, key)?.value]),
  )
}
