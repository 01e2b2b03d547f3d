/** Runs named steps one after the other, and ends at the first that fails. */

/** A step. It fails if it throws. */
export type Step = () => void | Promise<void>

/**
 * Runs the steps with these names, or all if no name is given, in the order of `steps`. Prints how
 * long each took. Sets the exit code to 1 if a step fails or a name is unknown.
 */
export async function runSteps(
  steps: Readonly<Record<string, Step>>,
  names: readonly string[],
): Promise<void> {
  const unknown = names.filter((name) => !Object.hasOwn(steps, name))
  if (unknown.length > 0) {
    console.error(`No such step: ${unknown.join(', ')}\nSteps: ${Object.keys(steps).join(', ')}`)
    process.exitCode = 1
    return
  }
  for (const [name, step] of Object.entries(steps)) {
    if (names.length > 0 && !names.includes(name)) continue
    console.log(`\n--- ${name}`)
    const start = performance.now()
    try {
      await step()
    } catch (error) {
      console.error(`--- ${name} FAILED: ${error instanceof Error ? error.message : String(error)}`)
      process.exitCode = 1
      return
    }
    console.log(`--- ${name}: ok, ${Math.round((performance.now() - start) / 1000)} s`)
  }
}
