/** The icon of the page in the tab of the browser. */

/** An SVG file, escaped for a `data:` URL. */
export const icon =
  "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect x='2' y='5' width='20' height='15' rx='4' fill='%231c6553'/%3E%3Cpath d='M12 11v5' stroke='%23fff' stroke-width='4' stroke-linecap='round'/%3E%3C/svg%3E"
