/** The square with the first character of a name. */
export function Tile({ text }: { readonly text: string }) {
  return (
    <span class="tile" aria-hidden="true">
      {[...text.trim()][0]?.toUpperCase() ?? '·'}
    </span>
  )
}
