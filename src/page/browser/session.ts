/** The state that every component of the page uses. */

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Answer, Api, RequestOptions } from './api.js'
import { formatRoute, type Route } from './route.js'

/** The settings that the server has written into the page. */
export interface Settings {
  readonly title: string
  readonly isReadOnly: boolean
  /** True if the API has the routes that the published service does not have. */
  readonly hasExtensions: boolean
  /** True if requests, patches and seeds of one-time codes are shown. */
  readonly isDeveloper: boolean
  /** The address of the sign-in of the app; empty if unknown. */
  readonly signInUrl: string
}

/** The state that every component uses. */
export interface Session {
  readonly settings: Settings
  readonly api: Api
  readonly route: Route
  /** False while the service rejects the token or the cookies. */
  readonly isSignedIn: boolean
  /** Grows with every change, so that lists are read again. */
  readonly changes: number
  /** Shows a short message, which screen readers announce. */
  announce(message: string, isError?: boolean): void
  /** Sends a change. Returns undefined if it failed, after the failure was shown. */
  change(method: string, path: string, options?: RequestOptions): Promise<Answer | undefined>
}

/** The context of the {@link Session}. */
export const SessionContext = createContext<Session | undefined>(undefined)

/** Returns the session. @throws Error outside of its context. */
export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('the session is missing')
  return session
}

/** Shows another part of the page. */
export function navigate(route: Parameters<typeof formatRoute>[0]): void {
  location.hash = formatRoute(route)
}

/** Returns the path of a vault, of its items, or of something in one of them. */
export function vaultPath(vaultId: string, itemId?: string, rest = ''): string {
  const item = itemId === undefined ? '' : `/items/${itemId}`
  return `/v1/vaults/${vaultId}${item}${rest}`
}
