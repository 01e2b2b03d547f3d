/** Searches texts for many words in one pass. */

/** Returns the words that at least one of the texts contains. */
export type WordSearch = (texts: readonly string[]) => ReadonlySet<string>

/**
 * Creates a search with the automaton of Aho and Corasick (1975). Its time grows with the length of
 * the texts, independently of the words. With `String.includes` it would grow with length times
 * words, and in V8 also with the length of words of more than 250 characters. The words have at
 * most 65,535 characters together.
 *
 * A state is a prefix of words; state 0 is the empty one. States are numbered by length and then in
 * the order of their prefixes. So the children of a state are consecutive, in ascending order of
 * their last characters, and the fallback of a state is a smaller number.
 */
export function createWordSearch(words: readonly string[]): WordSearch {
  if (words.length === 0) return () => new Set()
  const { chars, firstChildren, parents, wordStates } = buildTrie([...new Set(words)].sort())
  const fallbacks = new Uint16Array(chars.length)
  const firstGrandchild = valueAt(firstChildren, 1)
  const rootChildren = new Uint16Array(valueAt(chars, firstGrandchild - 1) + 1)
  for (let state = 1; state < firstGrandchild; state++) rootChildren[valueAt(chars, state)] = state

  const nextState = (from: number, char: number): number => {
    for (let state = from; state !== 0; state = valueAt(fallbacks, state)) {
      const end = valueAt(firstChildren, state + 1)
      let low = valueAt(firstChildren, state)
      for (let high = end; low < high; ) {
        const middle = (low + high) >> 1
        if (valueAt(chars, middle) < char) low = middle + 1
        else high = middle
      }
      if (low < end && valueAt(chars, low) === char) return low
    }
    return rootChildren[char] ?? 0
  }
  for (let state = firstGrandchild; state < chars.length; state++)
    fallbacks[state] = nextState(valueAt(fallbacks, valueAt(parents, state)), valueAt(chars, state))

  return (texts) => {
    const visited = new Uint8Array(chars.length)
    for (const text of texts) {
      let state = 0
      visited[0] = 1
      for (let index = 0; index < text.length; index++) {
        state = nextState(state, text.charCodeAt(index))
        visited[state] = 1
      }
    }
    for (let state = visited.length - 1; state > 0; state--)
      if (visited[state] === 1) visited[valueAt(fallbacks, state)] = 1
    return new Set(wordStates.flatMap(([word, state]) => (visited[state] === 1 ? [word] : [])))
  }
}

/**
 * Returns the last character, the first child and the parent of each state, and the state of each
 * word. The words are sorted and without duplicates.
 */
function buildTrie(words: readonly string[]) {
  const ranges = [{ start: 0, end: words.length, length: 0 }]
  const chars = [0]
  const parents = [0]
  const firstChildren: number[] = []
  const wordStates: [word: string, state: number][] = []
  for (const [state, { start, end, length }] of ranges.entries()) {
    firstChildren.push(ranges.length)
    let last = -1
    for (const [offset, word] of words.slice(start, end).entries()) {
      const char = word.charCodeAt(length)
      if (word.length === length) wordStates.push([word, state])
      else if (char === last) (ranges.at(-1) as { end: number }).end++
      else {
        ranges.push({ start: start + offset, end: start + offset + 1, length: length + 1 })
        chars.push(char)
        parents.push(state)
        last = char
      }
    }
  }
  firstChildren.push(ranges.length)
  return {
    chars: Uint16Array.from(chars),
    firstChildren: Uint16Array.from(firstChildren),
    parents: Uint16Array.from(parents),
    wordStates,
  }
}

function valueAt(numbers: Uint16Array, index: number): number {
  return numbers[index] as number
}
