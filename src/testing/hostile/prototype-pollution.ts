/** Detection of prototype pollution: a snapshot of built-in constructors and their prototypes. */

const watched: readonly object[] = [Object, Array, Function, String, Number, Map].flatMap(
  (owner): object[] => [owner, owner.prototype],
)

/** The members of every watched object, by key. */
export type PrototypeSnapshot = readonly ReadonlyMap<PropertyKey, unknown>[]

/** Returns the current members of the built-in constructors and prototypes. */
export function snapshotPrototypes(): PrototypeSnapshot {
  return watched.map(
    (owner) =>
      new Map(
        Reflect.ownKeys(owner).map((key) => [
          key,
          Object.getOwnPropertyDescriptor(owner, key)?.value,
        ]),
      ),
  )
}

/** Returns whether every watched object has exactly the members of the snapshot. */
export function isUnpolluted(before: PrototypeSnapshot): boolean {
  return snapshotPrototypes().every((now, index) => {
    const then = before[index]
    return (
      now.size === then?.size && [...now].every(([key, value]) => Object.is(then.get(key), value))
    )
  })
}
