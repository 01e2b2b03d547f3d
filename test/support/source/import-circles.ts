/** Circles of imports, between files and between folders. */

import ts from 'typescript'

/** A module of src by its name, such as `core/items/build-item`, and its text. */
export interface Module {
  readonly name: string
  readonly text: string
}

/** Each module, and the modules that it imports, types included. */
type Imports = ReadonlyMap<string, ReadonlySet<string>>

/** Returns every circle of files that import each other. */
export function fileCircles(modules: readonly Module[]): readonly string[] {
  return circlesOf(importsOf(modules))
}

/**
 * Returns every circle of folders whose files import each other. A folder and a folder inside it are
 * not compared, and an entry file such as `http.ts` belongs to the folder that it is in.
 */
export function folderCircles(modules: readonly Module[]): readonly string[] {
  const graph = new Map<string, Set<string>>()
  for (const [from, targets] of importsOf(modules)) {
    const edges = graph.get(parentOf(from)) ?? new Set()
    graph.set(parentOf(from), edges)
    for (const target of targets)
      if (!isNested(parentOf(from), parentOf(target))) edges.add(parentOf(target))
  }
  return circlesOf(graph)
}

function importsOf(modules: readonly Module[]): Imports {
  const names = new Set(modules.map(({ name }) => name))
  return new Map(
    modules.map(({ name, text }) => {
      const specifiers = ts.preProcessFile(text, true, true).importedFiles
      const targets = specifiers
        .filter(({ fileName }) => fileName.startsWith('.'))
        .map(({ fileName }) => new URL(fileName, `file:///${name}`).pathname.slice(1))
        .map((path) => path.replace(/\.js$/, ''))
      return [name, new Set(targets.filter((target) => names.has(target)))]
    }),
  )
}

/** Returns the strongly connected components with more than one node (Tarjan), as text. */
function circlesOf(graph: Imports): readonly string[] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const circles: string[] = []
  const lowOf = (node: string): number => low.get(node) ?? 0
  const visit = (node: string): void => {
    index.set(node, index.size)
    low.set(node, index.size - 1)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(node, Math.min(lowOf(node), lowOf(next)))
    }
    if (lowOf(node) !== index.get(node)) return
    const component = stack.splice(stack.indexOf(node))
    if (component.length > 1) circles.push(component.sort().join(' <-> '))
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node)
  return circles
}

function parentOf(name: string): string {
  return name.includes('/') ? name.slice(0, name.lastIndexOf('/')) : '.'
}

function isNested(one: string, other: string): boolean {
  return (
    [one, other].includes('.') ||
    `${one}/`.startsWith(`${other}/`) ||
    `${other}/`.startsWith(`${one}/`)
  )
}
