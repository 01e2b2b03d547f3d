/** Reads the objects of a parsed export, and reports every member that was not read. */

import { isObject } from '../base/is-object.js'
import type { ImportLossKind, ReportLoss } from './result.js'
import { cleanText } from './text.js'

type Members = Readonly<Record<string, unknown>>

/**
 * An object of an export. A member counts as read once one of the functions below has returned it.
 * An export can have hundreds of thousands of objects, so no more is kept for each of them.
 */
export interface Source {
  readonly path: string
  readonly members: Members
  /** Receives the losses of this object, and of those that are read from it later. */
  report: ReportLoss
  /** The names of the members that were read. */
  read: Set<string> | undefined
  /** The objects that were read from this one, and whose unread members are not reported yet. */
  children: Source[] | undefined
  /** Set once nothing of this object is left to report. */
  isDone: boolean
}

/** A name that can be part of a path. Any other name is shown as `*`, because it may be a value. */
const plainName = /^\w[\w.-]{0,39}$/

const nothing: Members = Object.freeze({})

/** Stands for every object that is missing in an export. */
const emptySource = createSource(nothing, '', () => {})

/** Returns an object of an export, or an empty one if `value` is anything else. */
export function createSource(value: unknown, path: string, report: ReportLoss): Source {
  const members = isObject(value) ? value : nothing
  return { path, members, report, read: undefined, children: undefined, isDone: false }
}

/** Reports a loss at a member of an object. */
export function reportAt(
  source: Source,
  name: string,
  kind: ImportLossKind,
  message: string,
): void {
  source.report(joinPath(source.path, name), kind, message)
}

/** Returns whether the member exists, even if it is empty. */
export function hasMember({ members }: Source, name: string): boolean {
  return Object.hasOwn(members, name)
}

/** Returns the names of the members that are not empty, in their order. */
export function namesOf({ members }: Source): readonly string[] {
  return Object.keys(members).filter((name) => !isEmpty(members[name]))
}

/**
 * Returns a string, number or boolean as a string. If the member has another type, returns an empty
 * string and does not count the member as read.
 */
export function textOf(source: Source, name: string): string {
  const member = get(source, name)
  if (typeof member !== 'string' && typeof member !== 'number' && typeof member !== 'boolean')
    return ''
  markRead(source, name)
  const text = String(member)
  return cleanText(text, () => joinPath(source.path, name), source.report)
}

/** Returns a finite number, or undefined if the member has another type. */
export function numberOf(source: Source, name: string): number | undefined {
  const member = get(source, name)
  if (typeof member !== 'number' || !Number.isFinite(member)) return undefined
  markRead(source, name)
  return member
}

/** Returns true if the member is `true`. */
export function flagOf(source: Source, name: string): boolean {
  const member = get(source, name)
  if (typeof member === 'boolean') markRead(source, name)
  return member === true
}

/** Returns the object, or an empty one if the member has another type. */
export function objectOf(source: Source, name: string): Source {
  const member = get(source, name)
  if (!isObject(member)) return emptySource
  markRead(source, name)
  return adopt(source, createSource(member, joinPath(source.path, name), source.report))
}

/**
 * Yields the objects of an array. The unread members of each are reported once the next one is
 * requested, so that nothing is kept of it. An element of another type is reported.
 */
export function* objectsOf(source: Source, name: string): Generator<Source> {
  const path = joinPath(source.path, name)
  for (const [index, element] of arrayOf(source, name).entries()) {
    if (isObject(element)) {
      const child = createSource(element, `${path}/${index}`, source.report)
      yield child
      reportUnread(child)
    } else reportElement(source, element, `${path}/${index}`)
  }
}

/** Returns the objects of an array, to be read in any order. Reports elements of another type. */
export function listObjects(source: Source, name: string): readonly Source[] {
  const path = joinPath(source.path, name)
  const objects: Source[] = []
  for (const [index, element] of arrayOf(source, name).entries()) {
    if (isObject(element))
      objects.push(adopt(source, createSource(element, `${path}/${index}`, source.report)))
    else reportElement(source, element, `${path}/${index}`)
  }
  return objects
}

/** Returns the strings of an array. An element of another type is reported. */
export function textsOf(source: Source, name: string): readonly string[] {
  const path = joinPath(source.path, name)
  const texts: string[] = []
  for (const [index, element] of arrayOf(source, name).entries()) {
    if (typeof element === 'string')
      texts.push(cleanText(element, () => `${path}/${index}`, source.report))
    else reportElement(source, element, `${path}/${index}`)
  }
  return texts
}

/** Counts members that an item does not need as read. */
export function ignoreMembers(source: Source, ...names: readonly string[]): void {
  for (const name of names) if (hasMember(source, name)) markRead(source, name)
}

/** Leaves a member out, with a reason. Does nothing if it is empty. */
export function dropMember(
  source: Source,
  name: string,
  kind: ImportLossKind,
  message: string,
): void {
  if (!hasMember(source, name)) return
  markRead(source, name)
  if (!isEmpty(get(source, name))) reportAt(source, name, kind, message)
}

/** Leaves the entire object out, with a reason. */
export function skipSource(source: Source, kind: ImportLossKind, message: string): void {
  source.isDone = true
  source.report(source.path, kind, message)
}

/**
 * Reports every member that was not read, including members of the objects that were returned. Does
 * nothing for an object that was skipped or reported before.
 */
export function reportUnread(source: Source): void {
  if (source.isDone) return
  const { members, read, children } = source
  for (const name of Object.keys(members)) {
    if (read?.has(name) || isEmpty(members[name])) continue
    reportAt(source, name, 'attribute', 'the attribute is unknown or has an unknown form')
  }
  for (const child of children ?? []) reportUnread(child)
  source.isDone = true
  source.read = undefined
  source.children = undefined
}

function get({ members }: Source, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

function arrayOf(source: Source, name: string): readonly unknown[] {
  const member = get(source, name)
  if (!Array.isArray(member)) return []
  markRead(source, name)
  return member
}

function markRead(source: Source, name: string): void {
  source.read ??= new Set()
  source.read.add(name)
}

function adopt(source: Source, child: Source): Source {
  source.children ??= []
  source.children.push(child)
  return child
}

function reportElement({ report }: Source, element: unknown, path: string): void {
  if (!isEmpty(element)) report(path, 'attribute', 'the element has an unknown form')
}

/** Joins a path and a name, or `*` for a name that could be a value. */
function joinPath(path: string, name: string): string {
  const last = plainName.test(name) ? name : '*'
  return path === '' ? last : `${path}/${last}`
}

/** Returns true for every empty value. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (typeof value !== 'object') return false
  return Object.values(value).every(isEmpty)
}
