/** Changes everything in a value that is not frozen. */
export function mutateDeeply(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    mutateDeeply(Reflect.get(value, key))
    Reflect.set(value, key, 'scrambled')
  }
  if (Array.isArray(value)) value.push('scrambled')
  else Reflect.set(value, 'scrambled', true)
}
