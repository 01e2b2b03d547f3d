/** Finds which of several words occur in texts, in one pass over the texts. */

/** A search that is ready for any number of texts: those of the words that are part of at least one of the texts. */
export type WordSearch = (texts: readonly string[]) => ReadonlySet<string>

/**
 * The automaton of Aho and Corasick (1975): time grows with the length of the texts, whatever the words are. With
 * `String.includes` it would grow with length times words, and in V8 also with the length of words of more than 250
 * characters. The words have at most 65,535 characters together.
 *
 * A state is a prefix of words, and 0 the empty one. States are numbered by length and then in the order of the
 * prefixes, so the states that follow a state are consecutive, ascending by character, and its fallback is smaller.
 */
export function searchWords(words: readonly string[]): WordSearch {
  if (words.length === 0) return () => new Set()
  const { chars, firsts, parents, ends } = prefixesOf([...new Set(words)].sort())
  const fallbacks = new Uint16Array(chars.length)
  const others = at(firsts, 1)
  const starts = new Uint16Array(at(chars, others - 1) + 1)
  for (let state = 1; state < others; state++) starts[at(chars, state)] = state

  const next = (from: number, char: number): number => {
    for (let state = from; state !== 0; state = at(fallbacks, state)) {
      const end = at(firsts, state + 1)
      let low = at(firsts, state)
      for (let high = end; low < high; ) {
        const middle = (low + high) >> 1
        if (at(chars, middle) < char) low = middle + 1
        else high = middle
      }
      if (low < end && at(chars, low) === char) return low
    }
    return starts[char] ?? 0
  }
  for (let state = others; state < chars.length; state++)
    fallbacks[state] = next(at(fallbacks, at(parents, state)), at(chars, state))

  return (texts) => {
    const seen = new Uint8Array(chars.length)
    for (const text of texts) {
      let state = 0
      seen[0] = 1
      for (let index = 0; index < text.length; index++) {
        state = next(state, text.charCodeAt(index))
        seen[state] = 1
      }
    }
    for (let state = seen.length - 1; state > 0; state--)
      if (seen[state] === 1) seen[at(fallbacks, state)] = 1
    return new Set(ends.flatMap(([word, state]) => (seen[state] === 1 ? [word] : [])))
  }
}

/** For each state its last character, the first state that follows it, and its parent; and where each word ends. */
function prefixesOf(sorted: readonly string[]) {
  const ranges = [{ start: 0, end: sorted.length, length: 0 }]
  const chars = [0]
  const parents = [0]
  const firsts: number[] = []
  const ends: [word: string, state: number][] = []
  for (const [state, { start, end, length }] of ranges.entries()) {
    firsts.push(ranges.length)
    let last = -1
    for (const [offset, word] of sorted.slice(start, end).entries()) {
      const char = word.charCodeAt(length)
      if (word.length === length) ends.push([word, state])
      else if (char === last) (ranges.at(-1) as { end: number }).end++
      else {
        ranges.push({ start: start + offset, end: start + offset + 1, length: length + 1 })
        chars.push(char)
        parents.push(state)
        last = char
      }
    }
  }
  firsts.push(ranges.length)
  return {
    chars: Uint16Array.from(chars),
    firsts: Uint16Array.from(firsts),
    parents: Uint16Array.from(parents),
    ends,
  }
}

function at(numbers: Uint16Array, index: number): number {
  return numbers[index] as number
}
