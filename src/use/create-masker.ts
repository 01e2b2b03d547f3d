/** Replaces texts by a mask in a sequence of chunks. */

import { concatBytes } from '../base/concat-bytes.js'
import { readEscape } from './read-escape.js'

const encoder = new TextEncoder()
const mask = encoder.encode('[secret]')
const [percent, plus, ampersand, backslash, blank] = [0x25, 0x2b, 0x26, 0x5c, 0x20]

/** A beginning of pieces, in bytes of UTF-8. */
interface Node {
  /** The number of its bytes. */
  readonly depth: number
  /** The beginnings with one more byte, by this byte. */
  readonly next: Map<number, Node>
  /** The longest other beginning with which this one ends; undefined for the empty one. */
  suffix: Node | undefined
  /** The number of bytes of the longest piece with which it ends; 0 if it ends with none. */
  found: number
}

/** The pieces that are searched for, as an automaton of Aho and Corasick. */
export interface Tree {
  /** The empty beginning. */
  readonly root: Node
  /** The maximum number of bytes of the backslashes before a character, escaped or not. */
  readonly maxBackslashBytes: number
}

/** Creates the tree of pieces, which have no backslashes, and `+` in place of blanks. */
export function createTree(pieces: Iterable<string>, maxBackslashBytes: number): Tree {
  const root = createNode(0)
  for (const piece of pieces) {
    let node = root
    for (const byte of encoder.encode(piece)) {
      const next = node.next.get(byte) ?? createNode(node.depth + 1)
      node.next.set(byte, next)
      node = next
    }
    node.found = node.depth
  }
  // Shorter beginnings come first.
  const nodes = [root]
  for (const node of nodes) {
    for (const [byte, next] of node.next) {
      next.suffix = follow(node.suffix, byte) ?? root
      next.found ||= next.suffix.found
      nodes.push(next)
    }
  }
  return { root, maxBackslashBytes }
}

function createNode(depth: number): Node {
  return { depth, next: new Map(), suffix: undefined, found: 0 }
}

/** Returns the longest beginning with which this one and a byte end; undefined if it is empty. */
function follow(from: Node | undefined, byte: number): Node | undefined {
  for (let node = from; node !== undefined; node = node.suffix) {
    const next = node.next.get(byte)
    if (next !== undefined) return next
  }
  return undefined
}

/** Masks the values in a sequence of chunks. */
export interface Masker {
  /**
   * Returns the held-back bytes and those of this chunk. It holds back bytes at the end that can be
   * the beginning of a piece.
   */
  push(chunk: Uint8Array): Uint8Array
  /**
   * Returns the rest. A beginning of a piece is not masked: a caller whose own text is sent back
   * at the end could otherwise guess a value by it, one character at a time.
   */
  end(): Uint8Array
}

/** A way to read the input so far: each byte is either itself or a part of an escape. */
interface Reading {
  /** The longest beginning of a piece that the bytes read so far end with. */
  readonly node: Node
  /** The offsets of the input at which each of these bytes, or its escape, begins. */
  readonly starts: readonly number[]
  /** The offset of an escape or of backslashes that were read after these bytes. */
  readonly begin: number | undefined
  /** The part of an escape of the next character that was read; empty if it is not escaped. */
  readonly escape: string
}

/**
 * Returns the readings except those whose node is a suffix of the node of another reading, which
 * finds the same pieces at the same offsets.
 */
function withoutSuffixes(readings: readonly Reading[]): readonly Reading[] {
  const known = new Map<Node, number>()
  return readings
    .toSorted((left, right) => right.node.depth - left.node.depth)
    .filter(({ node, starts, begin = Number.POSITIVE_INFINITY }) => {
      const other = known.get(node)
      const isNew = other === undefined || (starts[0] ?? begin) < other
      for (let one: Node | undefined = node; one !== undefined; one = one.suffix) {
        const start = starts[node.depth - one.depth] ?? begin
        known.set(one, Math.min(start, known.get(one) ?? start))
      }
      return isNew
    })
}

/**
 * Creates a masker of the pieces of a tree, in any escapes. Backslashes are ignored, because each
 * level of JSON adds some, and blanks are equal to `+`.
 */
export function createMasker({ root, maxBackslashBytes }: Tree): Masker {
  const isFirst = new Uint8Array(256)
  for (const byte of root.next.keys()) isFirst[byte] = 1
  if (root.next.has(plus)) isFirst[blank] = 1
  const nothing: Reading = { node: root, starts: [], begin: undefined, escape: '' }
  let readings = [nothing]
  /** Offsets of the input: its end, and the ends of what was written and of the last mask. */
  let [end, written, masked] = [0, 0, -1]
  /** The input from `written` on. */
  let held = new Uint8Array()
  /** Pieces that were found and are not masked yet. */
  let found: { readonly start: number; readonly end: number }[] = []

  function search(chunk: Uint8Array): void {
    for (const byte of chunk) {
      end++
      const [first = nothing] = readings
      const isEscape = byte === percent || byte === ampersand || byte === backslash
      if (readings.length > 1 || first.escape !== '' || isEscape) readings = readAll(byte, isEscape)
      else if (first !== nothing || isFirst[byte] === 1) readings = [extend(first, byte)]
    }
  }

  /** Returns the readings that continue with another byte of the input. */
  function readAll(byte: number, isEscape: boolean): Reading[] {
    const complete: Reading[] = []
    const open: Reading[] = []
    for (const reading of readings) {
      if (reading.escape === '') complete.push(extend(reading, byte))
      if (reading.escape === '' && !isEscape) continue
      const escape = reading.escape + String.fromCharCode(byte)
      const { bytes, isOpen } = readEscape(escape)
      const begin = reading.begin ?? end - 1
      if (isOpen) open.push({ ...reading, begin, escape })
      if (bytes === undefined) continue
      // JSON in a URL has escapes such as %5Cn.
      if (bytes[0] === backslash) open.push({ ...reading, begin, escape: '\\' })
      let next: Reading = { ...reading, escape: '' }
      for (const one of bytes) next = extend(next, one)
      complete.push(next)
    }
    return [...withoutSuffixes(complete), ...open]
  }

  /** Returns a reading with another byte. */
  function extend(reading: Reading, byte: number): Reading {
    const { node, starts, begin = end - 1 } = reading
    if (byte === backslash) return end - begin > maxBackslashBytes ? nothing : { ...reading, begin }
    const next = follow(node, byte === blank ? plus : byte)
    if (next === undefined) return nothing
    const kept = starts.slice(starts.length + 1 - next.depth)
    kept.push(begin)
    if (next.found > 0) found.push({ start: Number(kept[next.depth - next.found]), end })
    return { node: next, starts: kept, begin: undefined, escape: '' }
  }

  /** Returns the offset of the first byte of the input that can be a part of a further piece. */
  function findStart({ node, starts, begin = end }: Reading): number {
    let open = node
    while (open.next.size === 0 && open.suffix !== undefined) open = open.suffix
    return starts[node.depth - open.depth] ?? begin
  }

  /** Returns the input up to an offset before which no further piece begins. */
  function write(until: number): Uint8Array {
    const parts: Uint8Array[] = []
    const base = written
    const ranges = found.filter(({ start }) => start < until)
    found = found.filter(({ start }) => start >= until)
    for (const range of ranges.sort((left, right) => left.start - right.start)) {
      if (range.start > masked) parts.push(held.subarray(written - base, range.start - base), mask)
      masked = Math.max(masked, range.end)
      written = masked
    }
    if (written < until) {
      parts.push(held.subarray(written - base, until - base))
      written = until
    }
    held = held.slice(written - base)
    return concatBytes(parts)
  }

  return {
    push(chunk) {
      held = concatBytes([held, chunk])
      search(chunk)
      return write(Math.min(...readings.map(findStart)))
    },
    end: () => write(end),
  }
}
