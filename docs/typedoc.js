// Additions of the documentation site to the scripts of TypeDoc.

/** Makes boxes that scroll reachable by keyboard. */
function focusScrollingBoxes() {
  for (const box of document.querySelectorAll('.site-table, pre, .tsd-signature')) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
    else box.removeAttribute('tabindex')
  }
}

/** Opens the menu of narrow windows by Enter as well, and closes it by Escape. */
function openMenuByKeyboard() {
  const trigger = document.getElementById('tsd-toolbar-menu-trigger')
  const press = (target, ...types) => {
    for (const type of types) target.dispatchEvent(new MouseEvent(type, { bubbles: true }))
  }
  trigger?.addEventListener('click', ({ detail }) => {
    if (detail !== 0) return
    press(trigger, 'mouseup', 'touchend')
    document.querySelector('.site-menu summary')?.focus()
  })
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !document.documentElement.classList.contains('has-menu')) return
    press(document.body, 'mousedown', 'touchstart', 'mouseup', 'touchend')
    trigger?.focus()
  })
}

/** Opens a result of the search from the option itself, because an option cannot contain a link. */
function openSearchResults() {
  const results = document.getElementById('tsd-search-results')
  if (results === null) return
  new MutationObserver(() => {
    for (const link of results.querySelectorAll('a[href]')) {
      const { href, parentElement: option } = link
      link.removeAttribute('href')
      link.removeAttribute('tabindex')
      for (const type of ['click', 'auxclick']) {
        option.addEventListener(type, ({ button, ctrlKey, metaKey }) => {
          if (button <= 1) open(href, button === 1 || ctrlKey || metaKey ? '_blank' : '_self')
        })
      }
    }
  }).observe(results, { childList: true })
}

openMenuByKeyboard()
openSearchResults()
focusScrollingBoxes()
new ResizeObserver(focusScrollingBoxes).observe(document.body)
