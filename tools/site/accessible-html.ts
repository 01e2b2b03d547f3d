/** Corrects the HTML of TypeDoc's theme where it is not accessible. */

/**
 * Returns the HTML of a page with these corrections:
 *
 * - the content and the sidebar are landmarks;
 * - no level of headings is skipped;
 * - a summary contains no link, because it is a button itself;
 * - an empty header of a column is an empty cell.
 */
export function accessibleHtml(html: string): string {
  return withHeadingLevels(
    html
      .replace('<div class="col-content">', '<div class="col-content" role="main">')
      .replace(
        '<div class="col-sidebar">',
        '<div class="col-sidebar" role="complementary" aria-label="Navigation and settings">',
      )
      .replace(/<summary\b.*?<\/summary>/gs, (summary) =>
        summary.replace(/<a\b[^>]*\bclass="tsd-anchor-icon".*?<\/a>/gs, ''),
      )
      .replace(/<th(?: style="[^"]*")?><\/th>/g, '<td></td>'),
  )
}

/** Adds the level of each heading whose element has a deeper one than its place in the outline. */
function withHeadingLevels(html: string): string {
  const open: { readonly element: number; readonly level: number }[] = []
  return html.replace(/<h([1-6])(?=[\s>])/g, (tag, digit) => {
    const element = Number(digit)
    while ((open.at(-1)?.element ?? 0) >= element) open.pop()
    const level = (open.at(-1)?.level ?? 0) + 1
    open.push({ element, level })
    return level === element ? tag : `${tag} aria-level="${level}"`
  })
}
