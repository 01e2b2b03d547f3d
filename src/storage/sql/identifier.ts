/** Checks the names of schemas and tables, which become part of statements. */

/** @throws TypeError if `name` is not 1 to `maxLength` letters, digits and underscores. */
export function assertIdentifier(name: string, option: string, maxLength: number): void {
  if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.length > maxLength)
    throw new TypeError(`${option} must be 1 to ${maxLength} letters, digits and underscores`)
}
