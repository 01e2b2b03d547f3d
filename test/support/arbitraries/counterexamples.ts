/** Values that violate a JSON Schema, one keyword at a time. */

type JsonSchema = Readonly<Record<string, unknown>>

/** A value that violates one keyword. */
export interface Counterexample {
  /** The path and the keyword, such as `/fields/0/type: enum`. */
  readonly claim: string
  /** The example with the violation; undefined if the whole value is absent. */
  readonly value: unknown
}

/**
 * Returns, for every keyword of a schema (draft 2020-12), a value that violates it and no other.
 * The values are made from a valid example. Objects are open, as in OpenAPI.
 * @param dereference Returns the schema of a `$ref`.
 * @throws Error if a keyword is not supported, or the example has no value where the schema has a
 * keyword.
 */
export function counterexamples(
  schema: JsonSchema,
  example: unknown,
  dereference: (reference: string) => JsonSchema,
  ref = '',
): readonly Counterexample[] {
  if (typeof schema['$ref'] === 'string')
    return counterexamples(dereference(schema['$ref']), example, dereference, ref)
  const deeper = (part: unknown, value: unknown, name: string): readonly Counterexample[] =>
    counterexamples(part as JsonSchema, value, dereference, `${ref}/${name}`)
  /**
   * The alternatives have different types, so a value that violates the one of its type violates
   * all.
   */
  const ofEveryPart = (parts: readonly JsonSchema[]): readonly Counterexample[] => {
    const found = parts.map((part) =>
      typeof part['$ref'] === 'string' ? dereference(part['$ref']) : part,
    )
    const types = found.map(({ type }) => type)
    return [{ type: types }, ...found.map(({ type: _, ...rest }) => rest)].flatMap((part) =>
      counterexamples(part, example, dereference, ref),
    )
  }
  return Object.entries(schema).flatMap(([keyword, given]): readonly Counterexample[] => {
    if (keyword === 'properties') {
      return Object.entries(given as object).flatMap(([name, part]) => {
        if (Object.keys(part).length > 0 && !Object.hasOwn(Object(example), name))
          throw new Error(`the example has no ${ref}/${name}`)
        return deeper(part, Reflect.get(Object(example), name), name).map(({ claim, value }) => ({
          claim,
          value: { ...Object(example), [name]: value },
        }))
      })
    }
    if (keyword === 'items') {
      const [first, ...others] = example as readonly unknown[]
      return deeper(given, first, '0').map(({ claim, value }) => ({
        claim,
        value: [value, ...others],
      }))
    }
    if (keyword === 'if') return []
    if (keyword === 'then') {
      const condition = schema['if'] as JsonSchema
      const conditional = { ...Object(example), ...constantsOf(condition), ...constantsOf(given) }
      return counterexamples(given as JsonSchema, conditional, dereference, ref)
    }
    if (keyword === 'anyOf') return ofEveryPart(given as readonly JsonSchema[])
    const breaks = claims[keyword]
    if (breaks === undefined) throw new Error(`the keyword ${keyword} is not supported`)
    return breaks(given, example).map((value) => ({ claim: `${ref || '/'}: ${keyword}`, value }))
  })
}

/** The only value of each property that has one. */
function constantsOf(schema: unknown): JsonSchema {
  const properties = Object.entries<JsonSchema>(Object(schema).properties)
  return Object.fromEntries(
    properties.map(([name, { const: constant = null }]) => [name, constant]),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: each keyword has a value of its own type.
type Breaks = (given: any, example: unknown) => readonly unknown[]

/** Values that violate each keyword. */
const claims: Readonly<Record<string, Breaks>> = {
  type: (given: string | readonly string[]) => {
    const types = [given].flat()
    return Object.entries(ofOtherTypes)
      .filter(([type]) => !types.includes(type))
      .filter(([, value]) => !(typeof value === 'number' && types.includes('number')))
      .map(([, value]) => value)
  },
  required: (names: readonly string[], example) =>
    names.map((absent) =>
      Object.fromEntries(Object.entries(Object(example)).filter(([name]) => name !== absent)),
    ),
  enum: () => ['NO SUCH NAME', 'toString'],
  pattern: (pattern: string) => ['', '!', 'a\n'].filter((text) => !new RegExp(pattern).test(text)),
  format: (format: string) => formats[format] ?? [],
  minimum: (min: number) => [min - 1],
  maximum: (max: number) => [max + 1],
  minLength: (min: number) => ['x'.repeat(min - 1)],
  maxLength: (max: number) => ['x'.repeat(max + 1)],
  minItems: (min: number, example) => [(example as unknown[]).slice(0, min - 1)],
  maxItems: (max: number, example) => [Array(max + 1).fill((example as unknown[])[0])],
  uniqueItems: (_given, example) => [[...(example as unknown[]), (example as unknown[])[0]]],
  const: (constant: boolean) => [!constant],
  default: () => [],
}

const ofOtherTypes = {
  string: 'text',
  boolean: true,
  integer: 5,
  fraction: 0.5,
  array: [],
  object: {},
  null: null,
}

const formats: Readonly<Record<string, readonly string[]>> = {
  uri: ['/path', 'no uri', 'https://ä.example/', 'https://a.example/a b', 'https://a.example/%'],
  byte: ['a', '!!!!', 'YQ=', 'YQ==\n'],
  uuid: ['', 'a'],
  'date-time': ['', '2024-01-01', '2024-02-30T00:00:00Z', '2024-01-01T00:00Z'],
}
