/** Finds the tags of a template, `{{ op://vault/item/field }}`. */

/** A tag of a template, such as `{{ op://Team/Mail/password }}`. */
export interface Tag {
  /** The offset of the tag in the template. */
  readonly start: number
  /** The offset after the tag. */
  readonly end: number
  /** The number of the line, from 1. */
  readonly line: number
  /** The text between the braces, without the spaces around it. */
  readonly text: string
  /** False if the line or the template ends before `}}`, or another brace comes first. */
  readonly isClosed: boolean
}

/** Two braces, spaces, and a reference with any characters that end neither the tag nor the line. */
const tagPattern = /\{\{[ \t]*(op:\/\/[^{}\r\n]*)(\}\})?/gi

/**
 * Yields the tags of a template whose first text is `op://`, in any case. The time is proportional
 * to the length of the template.
 */
export function* findTags(template: string): Generator<Tag> {
  let [line, end] = [1, 0]
  for (const match of template.matchAll(tagPattern)) {
    const [whole, text = '', closing] = match
    const start = match.index
    line += template.slice(end, start).split('\n').length - 1
    end = start + whole.length
    yield { start, end, line, text: text.trimEnd(), isClosed: closing !== undefined }
  }
}
