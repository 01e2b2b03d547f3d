/** Reads the objects of a parsed export, and reports every member that was not read. */

import type { ImportLossKind, ReportLoss } from './result.js'
import { cleanText } from './text.js'

/** An object of an export. A member counts as read once one of the methods has returned it. */
export interface Source {
  readonly path: string
  /** Reports a loss at a member of this object; at the object itself if `name` is empty. */
  readonly report: ReportLoss
  /** Returns true if the object has the member, even an empty one. */
  has(name: string): boolean
  /** The names of the members that are not empty, in their order. */
  names(): readonly string[]
  /**
   * Returns a string, number or boolean as text. Returns an empty text, and does not count the
   * member as read, if it has another type.
   */
  text(name: string): string
  /** Returns a finite number; undefined if the member has another type. */
  number(name: string): number | undefined
  /** Returns true if the member is `true`. */
  flag(name: string): boolean
  /** Returns the object; an empty one if the member has another type. */
  object(name: string): Source
  /** Returns the objects of an array. An element of another type is reported. */
  objects(name: string): readonly Source[]
  /** Returns the strings of an array. An element of another type is reported. */
  texts(name: string): readonly string[]
  /** Counts members as read that an item does not need. */
  ignore(...names: readonly string[]): void
  /** Leaves a member out, with a reason. Does nothing if it is empty. */
  drop(name: string, kind: ImportLossKind, message: string): void
  /** Leaves the whole object out, with a reason. */
  skip(kind: ImportLossKind, message: string): void
  /** Reports later losses to another function, also those of objects that are returned later. */
  reportTo(report: ReportLoss): void
  /** Reports every member that was not read, also of the objects that were returned. */
  reportUnread(): void
}

/** A name that can be part of a path. Anything else is `*`: it could be a value. */
const plainName = /^\w[\w.-]{0,39}$/

/** Returns an object of an export; an empty one if `value` is anything else. */
export function createSource(value: unknown, path: string, initialReport: ReportLoss): Source {
  let report = initialReport
  let isSkipped = false
  const members = isObject(value) ? value : {}
  const read = new Set<string>()
  const children: Source[] = []
  const at = (name: string | number): string => joinPath(path, String(name))
  const get = (name: string): unknown => (Object.hasOwn(members, name) ? members[name] : undefined)
  const adopt = (child: Source): Source => {
    children.push(child)
    return child
  }
  /** Calls `each` for the elements of an array that `isWanted`, and reports the others. */
  const elements = <Type, Result>(
    name: string,
    isWanted: (element: unknown) => element is Type,
    each: (element: Type, elementPath: string) => Result,
  ): Result[] => {
    const array = get(name)
    if (!Array.isArray(array)) return []
    read.add(name)
    return array.flatMap((element: unknown, index) => {
      const elementPath = joinPath(at(name), String(index))
      if (isWanted(element)) return [each(element, elementPath)]
      if (!isEmpty(element)) report(elementPath, 'attribute', 'the element has an unknown form')
      return []
    })
  }
  return {
    path,
    report: (name, kind, message) => report(name === '' ? path : at(name), kind, message),
    has: (name) => Object.hasOwn(members, name),
    names: () => Object.keys(members).filter((name) => !isEmpty(members[name])),
    text(name) {
      const member = get(name)
      if (!['string', 'number', 'boolean'].includes(typeof member)) return ''
      read.add(name)
      return cleanText(String(member), at(name), report)
    },
    number(name) {
      const member = get(name)
      if (typeof member !== 'number' || !Number.isFinite(member)) return undefined
      read.add(name)
      return member
    },
    flag(name) {
      const member = get(name)
      if (typeof member === 'boolean') read.add(name)
      return member === true
    },
    object(name) {
      const member = get(name)
      if (isObject(member)) read.add(name)
      return adopt(createSource(member, at(name), report))
    },
    objects: (name) =>
      elements(name, isObject, (element, elementPath) =>
        adopt(createSource(element, elementPath, report)),
      ),
    texts: (name) =>
      elements(name, isString, (element, elementPath) => cleanText(element, elementPath, report)),
    ignore(...names) {
      for (const name of names) read.add(name)
    },
    drop(name, kind, message) {
      read.add(name)
      if (!isEmpty(get(name))) report(at(name), kind, message)
    },
    skip(kind, message) {
      isSkipped = true
      report(path, kind, message)
    },
    reportTo(nextReport) {
      report = nextReport
    },
    reportUnread() {
      if (isSkipped) return
      for (const [name, member] of Object.entries(members)) {
        if (read.has(name) || isEmpty(member)) continue
        report(at(name), 'attribute', 'the attribute is unknown or has an unknown form')
      }
      for (const child of children) child.reportUnread()
    },
  }
}

/** Joins a path and a name, or `*` for a name that could be a value. */
function joinPath(path: string, name: string): string {
  const last = plainName.test(name) ? name : '*'
  return path === '' ? last : `${path}/${last}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

/** Returns true for everything that contains nothing. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (typeof value !== 'object') return false
  return Object.values(value).every((member) => isEmpty(member))
}
