/** Strict zod schemas from the JSON Schemas of an OpenAPI document. */

import * as z from 'zod'

type JsonSchema = Readonly<Record<string, unknown>>

/** Schemas by name. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>

/**
 * Returns a function that converts a JSON Schema (draft 2020-12) to zod. Objects reject attributes
 * that are not described, and every format is checked. `z.fromJSONSchema` does neither: it ignores
 * unknown formats and keywords, and accepts a `date-time` with any offset.
 * @throws Error from the returned function, if a keyword, type or format is not supported.
 */
export function zodFromSchemas(named: NamedSchemas): (schema: JsonSchema) => z.ZodType {
  const made = new Map<string, z.ZodType>()

  function convert({ $ref, ...rest }: JsonSchema): z.ZodType {
    if ($ref === undefined) return converted(rest)
    onlyKnown(rest, [])
    const name = String($ref).replace(/^#\/components\/schemas\//, '')
    const target = named[name]
    if (target === undefined) throw new Error(`${$ref} does not exist`)
    const found = made.get(name) ?? convert(target)
    made.set(name, found)
    return found
  }

  function converted({ description: _, type, enum: values, ...rest }: JsonSchema): z.ZodType {
    if ('const' in rest) return constant(rest)
    if ('anyOf' in rest) {
      onlyKnown(rest, ['anyOf'])
      return z.union((rest['anyOf'] as readonly JsonSchema[]).map(convert))
    }
    if (values !== undefined) {
      onlyKnown(rest, [])
      if (type !== 'string') throw new Error('an enum must contain strings')
      return z.enum(values as string[])
    }
    switch (type) {
      case 'object':
        return object(rest)
      case 'array':
        return array(rest)
      case 'string':
        return text(rest)
      case 'integer':
      case 'number':
        return number(type, rest)
      case 'boolean':
        onlyKnown(rest, [])
        return z.boolean()
      default:
        throw new Error(`the type ${JSON.stringify(type)} is not supported`)
    }
  }

  function object(rest: JsonSchema): z.ZodType {
    onlyKnown(rest, ['properties', 'required'])
    const { properties = {}, required = [] } = rest as {
      readonly properties?: NamedSchemas
      readonly required?: readonly string[]
    }
    for (const name of required)
      if (!(name in properties)) throw new Error(`${name} is required but not described`)
    const members = Object.entries(properties).map(([name, schema]) => {
      const member = convert(schema)
      return [name, required.includes(name) ? member : member.optional()]
    })
    return z.strictObject(Object.fromEntries(members))
  }

  function array(rest: JsonSchema): z.ZodType {
    onlyKnown(rest, ['items', 'minItems', 'maxItems'])
    const elements = z.array(convert(rest['items'] as JsonSchema))
    return bounded(elements, rest['minItems'], rest['maxItems'])
  }

  return convert
}

function constant({ const: value, ...rest }: JsonSchema): z.ZodType {
  onlyKnown(rest, [])
  const text = JSON.stringify(value)
  return z.unknown().refine((given) => JSON.stringify(given) === text, 'is not the constant')
}

function text(rest: JsonSchema): z.ZodType {
  onlyKnown(rest, ['format', 'pattern', 'minLength', 'maxLength'])
  const { format, pattern, minLength, maxLength } = rest
  const bare = format === undefined ? z.string() : formatted(String(format))
  const matching = pattern === undefined ? bare : bare.regex(new RegExp(String(pattern), 'u'))
  return bounded(matching, minLength, maxLength)
}

function formatted(format: string): z.ZodString {
  const test = formats[format]
  if (test === undefined) throw new Error(`the format ${format} is not supported`)
  return z.string().refine(test, `is not a ${format}`)
}

/** The formats of strings. The vault writes every time in UTC. */
const formats: Readonly<Record<string, (value: string) => boolean>> = {
  'date-time': (value) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(value) && isTime(value.slice(0, 19)),
  uuid: (value) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value),
  // RFC 3986: ASCII only, and no sign outside its three sets.
  uri: (value) => /^[a-z][a-z\d+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})*$/i.test(value),
  byte: (value) => /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(value),
}

/** Returns whether `seconds` (`YYYY-MM-DDThh:mm:ss`) is a valid date and time. */
function isTime(seconds: string): boolean {
  const time = Date.parse(`${seconds}Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(seconds)
}

function number(type: 'integer' | 'number', rest: JsonSchema): z.ZodType {
  onlyKnown(rest, ['format', 'minimum', 'maximum'])
  const { format, minimum, maximum } = rest
  if (format !== undefined && format !== 'int32' && format !== 'int64')
    throw new Error(`the format ${format} is not supported`)
  if (format !== undefined && type !== 'integer')
    throw new Error(`the format ${format} requires an integer`)
  const whole = format === 'int32' ? z.int32() : z.int()
  return bounded(type === 'number' ? z.number() : whole, minimum, maximum)
}

/** Adds a lower and an upper bound, if given. */
function bounded<Schema extends z.ZodString | z.ZodNumber | z.ZodArray>(
  schema: Schema,
  min: unknown,
  max: unknown,
): z.ZodType {
  const withMin = min === undefined ? schema : schema.min(Number(min))
  return max === undefined ? withMin : withMin.max(Number(max))
}

function onlyKnown(schema: JsonSchema, known: readonly string[]): void {
  const unknown = Object.keys(schema).filter((keyword) => !known.includes(keyword))
  if (unknown.length > 0) throw new Error(`the keyword ${unknown.join(', ')} is not supported`)
}
