/** The header of the page: its title, its two parts, and the way to forget the token. */

import { useSession } from './session.js'

interface HeaderProps {
  onLock(): void
}

/** The header of the page. */
export function Header({ onLock }: HeaderProps) {
  const { settings, api, route, isSignedIn } = useSession()
  return (
    <header class="top">
      <h1>
        <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
          <rect x="2.5" y="5.5" width="19" height="14" rx="3.5" class="mark" />
          <circle cx="12" cy="11.4" r="2.1" class="hole" />
          <path d="M12 12.5v3.6" class="hole" />
        </svg>
        <bdi>{settings.title}</bdi>
      </h1>
      {isSignedIn && (
        <nav aria-label="Page">
          <a href="#/" aria-current={route.view === 'vaults' ? 'page' : undefined}>
            Vaults
          </a>
          <a href="#/activity" aria-current={route.view === 'activity' ? 'page' : undefined}>
            Activity
          </a>
        </nav>
      )}
      <span class="grow" />
      {isSignedIn && settings.isReadOnly && <span class="badge">Read-only</span>}
      {isSignedIn && api.hasToken && (
        <button type="button" class="quiet" onClick={onLock}>
          Lock
        </button>
      )}
    </header>
  )
}
