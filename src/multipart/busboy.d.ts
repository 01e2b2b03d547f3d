/** The members of busboy 1 that are used. It has no types of its own. */

declare module 'busboy' {
  import type { Readable, Writable } from 'node:stream'

  /** The events of a form. */
  interface FormEvents {
    on(
      event: 'field',
      listener: (
        name: string | undefined,
        value: string | undefined,
        info: { readonly valueTruncated: boolean },
      ) => void,
    ): this
    on(
      event: 'file',
      listener: (
        name: string | undefined,
        content: Readable,
        info: { readonly filename: string | undefined; readonly encoding: string },
      ) => void,
    ): this
  }

  /** Creates a parser of a form, whose bytes are written to it. Throws if there is no boundary. */
  function busboy(options: {
    readonly headers: { readonly 'content-type': string }
    readonly defParamCharset: 'utf8'
    readonly limits: { readonly fieldSize: number }
  }): FormEvents & Writable

  // biome-ignore lint/style/noDefaultExport: it is the export of that package
  export { busboy as default }
}
