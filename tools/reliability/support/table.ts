/** Prints figures as a table. */

/** Prints a row for each record, below the names of its members. Numbers are aligned right. */
export function printTable(rows: readonly Readonly<Record<string, string | number>>[]): void {
  const [first] = rows
  if (first === undefined) return
  const columns = Object.keys(first).map((name) => {
    const cells = [name, ...rows.map((row) => formatCell(row[name]))]
    const width = Math.max(...cells.map((cell) => cell.length))
    const isNumber = typeof first[name] === 'number'
    return cells.map((cell) => (isNumber ? cell.padStart(width) : cell.padEnd(width)))
  })
  for (let line = 0; line <= rows.length; line++)
    print(
      columns
        .map((cells) => cells[line])
        .join('  ')
        .trimEnd(),
    )
}

/** Prints a line. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function formatCell(cell: string | number | undefined): string {
  return typeof cell === 'number' ? cell.toLocaleString('en') : (cell ?? '')
}
