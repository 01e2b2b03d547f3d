/**
 * Collects the values that the sources create and use. Modules are rewritten when they are loaded:
 * an expression `x` becomes `watch$(x)`, which returns `x`. No function is added to a module, and
 * the order of evaluation is unchanged.
 */

import { registerHooks } from 'node:module'
import ts from 'typescript'

const watch = 'watch$'

/** Collects values between `start` and `stop`. */
export interface ValueWatch {
  start(): void
  /** The values since `start`, each object and each text once. They are kept alive until then. */
  stop(): ReadonlySet<unknown>
}

/** Watches the modules in `folder`. Must be called before any of them is loaded. */
export function watchValues(folder: URL): ValueWatch {
  let values: Set<unknown> | undefined
  Reflect.set(globalThis, watch, (value: unknown): unknown => {
    values?.add(value)
    return value
  })
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      const { source } = loaded
      if (!url.startsWith(folder.href) || source === undefined) return loaded
      const text = typeof source === 'string' ? source : new TextDecoder().decode(source)
      return { ...loaded, source: addWatches(text) }
    },
  })
  return {
    start() {
      values = new Set()
    },
    stop() {
      const collected = values ?? new Set()
      values = undefined
      return collected
    },
  }
}

/** Inserts the calls of `watch$` into the text of a TypeScript module. */
function addWatches(source: string): string {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true)
  const insertions: { readonly position: number; readonly text: string }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return
    if (isWatched(node)) {
      insertions.push({ position: node.getStart(file), text: `${watch}(` })
      insertions.push({ position: node.end, text: ')' })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)

  let result = ''
  let end = 0
  for (const { position, text } of insertions.sort((one, other) => one.position - other.position)) {
    result += source.slice(end, position) + text
    end = position
  }
  return result + source.slice(end)
}

/**
 * True for a call, `new`, `await`, an object or array literal; also for an argument, the operand of
 * a spread, and a name whose member is accessed.
 */
function isWatched(node: ts.Node): boolean {
  const { parent } = node
  if (!ts.isExpression(node) || ts.isSpreadElement(node)) return false
  if (isPattern(node) || isInnerChain(node)) return false
  if (ts.isCallExpression(node)) return node.expression.kind !== ts.SyntaxKind.SuperKeyword
  if (ts.isNewExpression(node) || ts.isAwaitExpression(node)) return true
  if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)) return true
  if (ts.isSpreadElement(parent) || ts.isSpreadAssignment(parent)) return true
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) return parent.expression !== node
  const isAccess = ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)
  return isAccess && parent.expression === node && ts.isIdentifier(node)
}

/** True for the left side of an assignment. A literal there is a pattern, which has no value. */
function isPattern(node: ts.Node): boolean {
  const { parent } = node
  const isAssignment =
    ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  return isAssignment && parent.left === node
}

/** True for the `a?.b` of `a?.b.c`: it must be able to skip the rest of the chain. */
function isInnerChain(node: ts.Node): boolean {
  const { parent } = node
  if (!ts.isOptionalChain(node) || !ts.isOptionalChain(parent)) return false
  const startsAnother = !ts.isNonNullChain(parent) && parent.questionDotToken !== undefined
  return parent.expression === node && !startsAnother
}
