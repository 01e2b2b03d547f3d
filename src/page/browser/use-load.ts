/** Reads data for a component, again after every change. */

import { useEffect, useState } from 'preact/hooks'
import { RequestError } from './api.js'
import { useSession } from './session.js'

/** The data of a component: neither member while it is read for the first time. */
export interface Loaded<Data> {
  readonly data?: Data
  readonly error?: Error
}

/**
 * Calls `load` when the component appears, when `key` changes and after every change. The data of an
 * earlier key is never returned.
 */
export function useLoad<Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
): Loaded<Data> {
  const { changes } = useSession()
  const [loaded, setLoaded] = useState<Loaded<Data> & { readonly key?: string }>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: `load` is a new function each time.
  useEffect(() => {
    const controller = new AbortController()
    load(controller.signal).then(
      (data) => controller.signal.aborted || setLoaded({ key, data }),
      (error: Error) => {
        if (controller.signal.aborted) return
        // The end of a session must not close a form.
        const isKept = error instanceof RequestError && error.status === 401
        setLoaded((before) => (isKept && before.data !== undefined ? before : { key, error }))
      },
    )
    return () => controller.abort()
  }, [key, changes])
  return loaded.key === key ? loaded : {}
}
