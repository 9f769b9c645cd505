/**
 * Base UI hides the rest of the page from screen readers while a list is open under its text field,
 * although the page can still be used: its controls would take the focus and have no names. This
 * undoes that until the returned function is called. What a dialog had hidden before stays hidden.
 */
export function keepReadable(): () => void {
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (target instanceof Element && target.closest('[data-base-ui-inert]'))
        target.removeAttribute('aria-hidden')
    }
  })
  observer.observe(document.body, { subtree: true, attributeFilter: ['aria-hidden'] })
  return () => observer.disconnect()
}
