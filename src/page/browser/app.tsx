/** The whole page: its header, the panes, the last request, and the form for a token. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Activity } from './activity.js'
import { createApi, type Exchange, RequestError } from './api.js'
import { Header } from './header.js'
import { RequestPanel } from './request-panel.js'
import { depthOf, parseRoute } from './route.js'
import { type Session, SessionContext, type Settings } from './session.js'
import { SignIn } from './sign-in.js'
import { VaultPanes } from './vault-panes.js'

/** The whole page. */
export function App({ settings }: { readonly settings: Settings }) {
  const [token, setToken] = useState<string>()
  const [rejection, setRejection] = useState<RequestError>()
  const [exchange, setExchange] = useState<Exchange>()
  const [changes, setChanges] = useState(0)
  const [logins, setLogins] = useState(0)
  const [message, announce] = useMessage()
  const route = useRoute()
  const api = useMemo(() => createApi(token, setExchange, setRejection), [token])

  const session: Session = {
    ...{ settings, api, route, changes, announce, isSignedIn: rejection === undefined },
    async change(method, path, options) {
      try {
        const answer = await api.send(method, path, options)
        setChanges((count) => count + 1)
        return answer
      } catch (error) {
        announce(error instanceof RequestError ? error.message : 'The request failed.', true)
        return undefined
      }
    },
  }
  const start = (next: string | undefined): void => {
    setToken(next)
    setRejection(undefined)
    setExchange(undefined)
    setLogins(logins + 1)
  }
  // A form that is open keeps its text when the session ends.
  const isForm = route.mode !== undefined && route.mode !== 'version'
  const resume = (next: string | undefined): void => {
    setToken(next)
    setRejection(undefined)
    setChanges(changes + 1)
  }
  return (
    <SessionContext.Provider value={session}>
      <Header onLock={() => start(undefined)} />
      {rejection && (
        <SignIn
          wantsToken={rejection.wantsToken}
          wasRejected={token !== undefined}
          isForm={isForm}
          onToken={isForm ? resume : start}
        />
      )}
      {/* Everything that was read with another token is discarded, except for an open form. */}
      {(rejection === undefined || isForm) && (
        <div class="content" key={logins} hidden={rejection !== undefined}>
          {route.view === 'activity' ? <Activity /> : <VaultPanes route={route} />}
        </div>
      )}
      {exchange && settings.isDeveloper && rejection === undefined && (
        <RequestPanel exchange={exchange} onClose={() => setExchange(undefined)} />
      )}
      <div class={message?.isError ? 'toast error' : 'toast'} role="status">
        {message?.text}
      </div>
    </SessionContext.Provider>
  )
}

/** Returns the part of the page that the URL names. Focuses its heading after each change of it. */
function useRoute() {
  const [fragment, setFragment] = useState(location.hash)
  const isFirst = useRef(true)
  // An effect of the layout runs at once: the fragment may change before the first frame.
  useLayoutEffect(() => {
    const update = (): void => setFragment(location.hash)
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  const route = parseRoute(fragment)
  const depth = depthOf(route)
  // biome-ignore lint/correctness/useExhaustiveDependencies: also for another item of the same depth.
  useLayoutEffect(() => {
    if (!isFirst.current) document.getElementById(`pane-${depth}`)?.focus()
    isFirst.current = false
  }, [fragment, depth])
  return route
}

interface Message {
  readonly text: string
  readonly isError: boolean
}

/** Returns a short message, and a function that shows one for some seconds. */
function useMessage(): readonly [Message | undefined, (text: string, isError?: boolean) => void] {
  const [message, setMessage] = useState<Message>()
  useEffect(() => {
    const timer = setTimeout(() => setMessage(undefined), message?.isError ? 15_000 : 4000)
    return () => clearTimeout(timer)
  }, [message])
  return [message, (text, isError = false) => setMessage({ text, isError })]
}
