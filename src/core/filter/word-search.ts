/** Searches texts for many words in one pass. */

/** Returns the words that at least one of the texts contains. */
export type WordSearch = (texts: readonly string[]) => ReadonlySet<string>

/** The number of different UTF-16 units. */
const charCount = 65_536

/**
 * Creates a search with the automaton of Aho and Corasick (1975). Its time grows with the length of
 * the texts, independently of the words. With `String.includes` it would grow with length times
 * words, and in V8 also with the length of words of more than 250 characters.
 *
 * A state is a prefix of words; state 0 is the empty one. States are numbered by the lengths of
 * their prefixes, so the fallback of a state is a smaller number.
 */
export function createWordSearch(words: readonly string[]): WordSearch {
  const children = new Map<number, number>()
  const fallbacks = [0]
  const fallbackOf = (state: number): number => fallbacks[state] as number
  const nextState = (from: number, char: number): number => {
    for (let state = from; ; state = fallbackOf(state)) {
      const child = children.get(state * charCount + char)
      if (child !== undefined) return child
      if (state === 0) return 0
    }
  }
  const ends = words.map((word) => ({ word, state: 0 }))
  const longest = Math.max(0, ...words.map(({ length }) => length))
  for (let length = 0; length < longest; length++) {
    for (const end of ends.filter(({ word }) => word.length > length)) {
      const { word, state } = end
      const char = word.charCodeAt(length)
      const key = state * charCount + char
      end.state = children.get(key) ?? fallbacks.length
      if (end.state < fallbacks.length) continue
      fallbacks.push(state === 0 ? 0 : nextState(fallbackOf(state), char))
      children.set(key, end.state)
    }
  }

  return (texts) => {
    const visited = new Uint8Array(fallbacks.length)
    for (const text of texts) {
      let state = 0
      visited[0] = 1
      for (let index = 0; index < text.length; index++) {
        state = nextState(state, text.charCodeAt(index))
        visited[state] = 1
      }
    }
    for (let state = visited.length - 1; state > 0; state--)
      if (visited[state] === 1) visited[fallbackOf(state)] = 1
    return new Set(ends.flatMap(({ word, state }) => (visited[state] === 1 ? [word] : [])))
  }
}
