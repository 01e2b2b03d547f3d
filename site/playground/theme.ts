/** Follows the theme that was chosen in the docs. */

/** Sets the theme that typedoc has saved; that of the system if it has not. */
export function applyTheme(): void {
  try {
    const theme = localStorage.getItem('tsd-theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
  } catch {
    // The browser does not give pages access to their storage.
  }
}
