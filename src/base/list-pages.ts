/** Iterates over the pages of a list of a service. */

/** The place of a page in a list whose elements ascend by id. */
export interface PagePosition {
  readonly limit: number
  /** The id after which the page begins. */
  readonly after: string | undefined
}

/**
 * Yields the pages of a list of a service, such as `listItems`, up to the first one that is not
 * full. A page is loaded when it is requested.
 */
export async function* listPages<Element extends { readonly id: string }>(
  list: (position: PagePosition) => Promise<readonly Element[]>,
  limit: number,
): AsyncGenerator<readonly Element[]> {
  let after: string | undefined
  for (;;) {
    const page = await list({ limit, after })
    yield page
    if (page.length < limit) return
    after = page.at(-1)?.id
  }
}
