/** `Request` and `Response` of the platform, which @hono/node-server replaces by classes of its own. */

const { Request, Response } = globalThis

/** Makes the classes global again. Other test files run in the same process. */
export function restorePlatformClasses(): void {
  Object.assign(globalThis, { Request, Response })
}
