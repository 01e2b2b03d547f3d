/** The forms of flags that several commands have. */

/** Returns a flag without a value. It is false if absent. */
export function switchFlag(brief: string) {
  return { kind: 'boolean', default: false, withNegated: false, brief } as const
}

/** Returns a flag whose value is any text. It is undefined if absent. */
export function textFlag(placeholder: string, brief: string) {
  return { kind: 'parsed', parse: String, optional: true, placeholder, brief } as const
}
