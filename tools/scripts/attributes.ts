/** The attributes of a shape as rows of a table: name, type, required or not, and bounds. */

import * as z from 'zod'
import { keywords } from '../../src/http/openapi/json-schema.js'

/** A shape. */
export type Schema = z.core.$ZodType

type Json = z.core.JSONSchema.BaseSchema

const largest = Number.MAX_SAFE_INTEGER

/** The shape of an array's elements; undefined if the shape is not an array. */
export function elementOf(schema: Schema): Schema | undefined {
  return schema instanceof z.core.$ZodArray ? schema._zod.def.element : undefined
}

/** One row for each attribute at any depth. */
export function attributesOf(schema: Schema): string[][] {
  const root = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    reused: 'inline',
    metadata: keywords,
  })
  const resolve = (json: Json): Json => {
    const name = json.$ref?.split('/').at(-1)
    return name === undefined ? json : ((root.$defs?.[name] as Json | undefined) ?? json)
  }
  return rowsOf(resolve(root), '', resolve)
}

function rowsOf(json: Json, prefix: string, resolve: (json: Json) => Json): string[][] {
  return Object.entries(json.properties ?? {}).flatMap(([name, member]) => {
    const attribute = resolve(member as Json)
    const isRequired = json.required?.includes(name) ?? false
    const path = `${prefix}${name}`
    const row = [
      `\`${path}\``,
      typeOf(attribute, resolve),
      isRequired ? 'yes' : 'no',
      notesOn(attribute),
    ]
    const element = attribute.items === undefined ? attribute : resolve(attribute.items as Json)
    const deeper = attribute.items === undefined ? `${path}.` : `${path}[].`
    const options = (element.anyOf ?? []).map((option) => resolve(option as Json))
    return [row, ...[element, ...options].flatMap((one) => rowsOf(one, deeper, resolve))]
  })
}

function typeOf(json: Json, resolve: (json: Json) => Json): string {
  if (json.items !== undefined) return `array of ${typeOf(resolve(json.items as Json), resolve)}`
  if (json.anyOf !== undefined) {
    return [...new Set(json.anyOf.map((option) => typeOf(resolve(option as Json), resolve)))].join(
      ' or ',
    )
  }
  return [json.type ?? 'any'].flat().join(' or ')
}

function notesOn(json: Json): string {
  const {
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
    format,
    pattern,
    enum: values,
    default: value,
  } = json
  const options = (json.anyOf ?? [])
    .map((option) => notesOn(option as Json))
    .filter((note) => note !== '')
  const element = json.items === undefined ? '' : notesOn(json.items as Json)
  return [
    ...options.slice(0, 1).map(() => options.join(' or ')),
    ...(values === undefined
      ? []
      : [values.map((name) => `\`${name === '' ? '""' : name}\``).join(', ')]),
    ...(format === undefined ? [] : [format]),
    ...(pattern === undefined || format !== undefined ? [] : [`\`${pattern}\``]),
    ...(minLength === undefined ? [] : [`${minLength} or more characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(minimum === undefined || minimum === -largest ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined || maximum === largest ? [] : [`at most ${maximum}`]),
    ...(minItems === undefined ? [] : [`${minItems} or more elements`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} elements`]),
    ...(json.uniqueItems ? ['unique'] : []),
    ...(value === undefined ? [] : [`\`${String(value)}\` if absent`]),
    ...(element === '' ? [] : [element]),
  ].join('; ')
}
