/** Replaces texts by a mask in a sequence of chunks. */

import { concatBytes } from '../base/concat-bytes.js'
import { readEscape } from './read-escape.js'

const encoder = new TextEncoder()
const mask = encoder.encode('[secret]')

/** The pieces that are searched for, as a tree of their bytes in UTF-8. */
export interface Tree {
  readonly next: Map<number, Tree>
  isEnd: boolean
  /** The last step in which a beginning has reached the node. */
  reachedIn: number
}

/** The number of bytes that maskers have searched: several can use a tree. */
let step = 0

/** Creates the tree of these texts, which have five characters or more. */
export function createTree(pieces: Iterable<string>): Tree {
  const root = createNode()
  for (const piece of pieces) {
    let node = root
    for (const byte of encoder.encode(piece)) {
      const next = node.next.get(byte) ?? createNode()
      node.next.set(byte, next)
      node = next
    }
    node.isEnd = true
  }
  return root
}

function createNode(): Tree {
  return { next: new Map(), isEnd: false, reachedIn: 0 }
}

/** Masks the values in a sequence of chunks. */
export interface Masker {
  /** Returns the bytes held back before and those of this chunk, but for a possible beginning. */
  push(chunk: Uint8Array): Uint8Array
  /**
   * Returns the rest. A beginning of a piece is not masked: who can have their own text sent back at
   * the end could guess a value by it, one character at a time.
   */
  end(): Uint8Array
}

/** A beginning of a piece with which the input ends. */
interface Beginning {
  /** The offset of the input at which it begins. */
  readonly start: number
  /** The node of the piece up to which it was read. */
  readonly node: Tree
  /** The part of an escape of the next character that was read; empty if it is not escaped. */
  readonly escape: string
}

const [percent, plus, ampersand, backslash, blank] = [0x25, 0x2b, 0x26, 0x5c, 0x20]

/** Creates a masker of the pieces of a tree, in any escapes. */
export function createMasker(root: Tree): Masker {
  const isFirst = new Uint8Array(256)
  for (const byte of root.next.keys()) isFirst[byte] = 1
  for (const byte of root.next.size === 0 ? [] : [percent, plus, ampersand, backslash])
    isFirst[byte] = 1
  /** In the order of their offsets. */
  let begun: Beginning[] = []
  /** Offsets of the input: its end, and the ends of what was written and of the last mask. */
  let [end, written, masked] = [0, 0, -1]
  /** The input from `written` on. */
  let held = new Uint8Array()
  /** Pieces that were found and are not masked yet. */
  let found: { readonly start: number; readonly end: number }[] = []

  function search(chunk: Uint8Array): void {
    for (const byte of chunk) {
      end++
      if (begun.length === 0 && isFirst[byte] === 0) continue
      step++
      if (begun.length > 0) {
        const before = begun
        begun = []
        for (const { start, node, escape } of before) extend(start, node, escape, byte)
      }
      if (isFirst[byte] === 1) extend(end - 1, root, '', byte)
    }
  }

  /** Adds the beginnings that continue this one with another byte: none, one or several. */
  function extend(start: number, node: Tree, escape: string, byte: number): void {
    const isEscape = escape !== '' || byte === percent || byte === ampersand || byte === backslash
    if (escape === '') {
      reach(start, node.next.get(byte))
      if (byte === plus) reach(start, node.next.get(blank))
    }
    if (!isEscape) return
    const read = escape + String.fromCharCode(byte)
    const { bytes, isOpen } = readEscape(read)
    if (isOpen) begun.push({ start, node, escape: read })
    if (bytes === undefined) return
    let next: Tree | undefined = node
    for (const one of bytes) next = next?.next.get(one)
    reach(start, next)
  }

  /** Of beginnings that continue alike, the first one is kept, which contains the others. */
  function reach(start: number, node: Tree | undefined): void {
    if (node === undefined || node.reachedIn === step) return
    node.reachedIn = step
    if (node.isEnd) found.push({ start, end })
    if (node.next.size > 0) begun.push({ start, node, escape: '' })
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
      return write(begun[0]?.start ?? end)
    },
    end: () => write(end),
  }
}
