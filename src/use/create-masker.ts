/** Masks strings in a sequence of chunks. */

import { concatBytes } from '../base/concat-bytes.js'

const encoder = new TextEncoder()
const mask = encoder.encode('[secret]')
const lineFeed = 0x0a

/** The prefixes of forms as an Aho-Corasick automaton. Each prefix is a number. */
export type FormTree = ReturnType<typeof createTree>

/** Creates the tree of forms, none of which is empty or has a line feed. */
export function createTree(forms: readonly string[]) {
  const texts = forms
    .map((form) => encoder.encode(form))
    .sort((left, right) => right.length - left.length)
  const maxLength = texts[0]?.length ?? 0
  const size = texts.reduce((sum, { length }) => sum + length, 1)
  /**
   * For each prefix: the prefix without its last byte, its last byte, and the longest other prefix
   * that it ends with.
   */
  const parents = new Int32Array(size)
  const bytes = new Uint8Array(size)
  const suffixes = new Int32Array(size)
  /** The length in bytes of the longest form that a prefix ends with, or 0. */
  const found = new Uint16Array(size)
  /**
   * One continuation of each prefix, because most have only one, and a hash table of all others.
   */
  const nexts = new Int32Array(size)
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(4 * texts.length + 1)))
  const firsts = new Int32Array(256)
  const slotOf = (node: number, byte: number): number =>
    (Math.imul(node * 256 + byte, 0x9e3779b1) >>> 8) & (slots.length - 1)

  function find(node: number, byte: number): number {
    let next = Number(nexts[node])
    if (next === 0 || bytes[next] === byte) return next
    for (let slot = slotOf(node, byte); ; slot = (slot + 1) & (slots.length - 1)) {
      next = Number(slots[slot])
      if (next === 0 || (parents[next] === node && bytes[next] === byte)) return next
    }
  }

  /** Returns the longest prefix at the end of another prefix plus a byte, or 0 if it is empty. */
  function follow(from: number, byte: number): number {
    for (let node = from; node !== 0; node = Number(suffixes[node])) {
      const next = find(node, byte)
      if (next !== 0) return next
    }
    return Number(firsts[byte])
  }

  // All forms grow by one byte at a time, so shorter prefixes exist before longer ones.
  const ends = texts.map(() => 0)
  let count = 0
  for (let depth = 1; depth <= maxLength; depth++) {
    for (let index = 0; (texts[index]?.length ?? 0) >= depth; index++) {
      const [node, byte] = [Number(ends[index]), Number(texts[index]?.[depth - 1])]
      let next = Number(node === 0 ? firsts[byte] : find(node, byte))
      if (next === 0) {
        next = ++count
        parents[next] = node
        bytes[next] = byte
        suffixes[next] = node === 0 ? 0 : follow(Number(suffixes[node]), byte)
        found[next] = Number(found[Number(suffixes[next])])
        let slot = slotOf(node, byte)
        while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
        if (node === 0) firsts[byte] = next
        else if (nexts[node] === 0) nexts[node] = next
        else slots[slot] = next
      }
      if (texts[index]?.length === depth) found[next] = depth
      ends[index] = next
    }
  }
  return { maxLength, size, found, follow }
}

/** Masks the forms in a sequence of chunks. */
export interface Masker {
  /**
   * Returns the held-back bytes and those of this chunk. What is held back depends only on the
   * length of the longest form and on line feeds, because no form has a line feed. It holds back
   * the bytes after the last line feed, but at most one byte less than the longest form has.
   */
  push(chunk: Uint8Array): Uint8Array
  /**
   * Returns the rest. The beginning of a form is not masked. Otherwise a caller whose own text is
   * echoed at the end could guess a value, one character at a time.
   */
  end(): Uint8Array
}

/** Creates a masker of the forms of a tree. Forms that overlap or touch become one mask. */
export function createMasker({ maxLength, found, follow }: FormTree): Masker {
  let node = 0
  /** Offsets of the input: its end, and the ends of what was written and of the last mask. */
  let [end, written, masked] = [0, 0, -1]
  /** The input from `written` on. */
  let held = new Uint8Array()
  /** The offsets of forms that were found and are not masked yet. */
  let [starts, ends]: [number[], number[]] = [[], []]

  function search(chunk: Uint8Array): void {
    let [current, position] = [node, end]
    for (let index = 0; index < chunk.length; index++) {
      const byte = Number(chunk[index])
      current = follow(current, byte)
      position++
      const length = Number(found[current])
      if (length > 0) addFound(position - length, position)
    }
    node = current
    end = position
  }

  /** Adds a form that ends after all others. Forms that overlap or touch become one. */
  function addFound(start: number, formEnd: number): void {
    const last = ends.length - 1
    const isApart = last < 0 || start > Number(ends[last])
    if (isApart) starts.push(start)
    else if (start < Number(starts[last])) {
      ends.pop()
      return addFound(Math.min(start, Number(starts.pop())), formEnd)
    }
    ends[isApart ? last + 1 : last] = formEnd
  }

  /** Returns the input up to an offset. No form that is still to be found begins before it. */
  function write(until: number): Uint8Array {
    const parts: Uint8Array[] = []
    let position = written
    let count = 0
    for (const start of starts) {
      if (start >= until) break
      if (start > masked) parts.push(held.subarray(position - written, start - written), mask)
      position = masked = Number(ends[count++])
    }
    starts = starts.slice(count)
    ends = ends.slice(count)
    if (position < until) {
      parts.push(held.subarray(position - written, until - written))
      position = until
    }
    held = held.slice(position - written)
    written = position
    return concatBytes(parts)
  }

  return {
    push(chunk) {
      const line = chunk.lastIndexOf(lineFeed) + 1
      const lineEnd = line === 0 ? 0 : end + line
      held = concatBytes([held, chunk])
      search(chunk)
      return write(Math.max(lineEnd, end - Math.max(maxLength - 1, 0)))
    },
    end: () => write(end),
  }
}
