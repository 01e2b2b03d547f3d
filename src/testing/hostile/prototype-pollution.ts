/** What all objects share, so that one can see whether anything has been written onto it. */

const owners: readonly object[] = [Object, Array, Function, String, Number, Map].flatMap(
  (owner): object[] => [owner, owner.prototype],
)

/** What the shared objects held at some moment. */
export type PrototypeSnapshot = readonly ReadonlyMap<PropertyKey, unknown>[]

/** The members of every shared object and prototype, by name. */
export function snapshotPrototypes(): PrototypeSnapshot {
  return owners.map(
    (owner) =>
      new Map(
        Reflect.ownKeys(owner).map((key) => [
          key,
          Object.getOwnPropertyDescriptor(owner, key)?.value,
        ]),
      ),
  )
}

/** Whether every shared object has exactly the members it had. */
export function isUnpolluted(before: PrototypeSnapshot): boolean {
  return snapshotPrototypes().every((now, index) => {
    const then = before[index]
    return (
      now.size === then?.size && [...now].every(([key, value]) => Object.is(then.get(key), value))
    )
  })
}
