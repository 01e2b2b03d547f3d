/** Formats JSON for a page: what fits into a line is on one line. */

const maxLineLength = 100

/**
 * Returns a value as JSON with an indentation of two spaces.
 * @param indentation Spaces before the value, which is already part of its first line.
 * @param prefixLength Characters before the value in its first line.
 */
export function formatJson(value: unknown, indentation = 0, prefixLength = indentation): string {
  const inOneLine = spaced(value)
  const isShort = prefixLength + inOneLine.length < maxLineLength
  if (isShort || typeof value !== 'object' || value === null) return inOneLine
  const inner = ' '.repeat(indentation + 2)
  const members = Array.isArray(value)
    ? value.map((element) => formatJson(element, indentation + 2))
    : Object.entries(value).map(([name, member]) => {
        const start = `${JSON.stringify(name)}: `
        return start + formatJson(member, indentation + 2, indentation + 2 + start.length)
      })
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${' '.repeat(indentation)}${close}`
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
