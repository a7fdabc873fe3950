import { useEffect, useState } from 'react'

let opener: Element | null = null
let openDialogs = 0

/** The element that had the focus before the first of several consecutive dialogs opened. */
function findOpener(): Element | null {
  const active = document.activeElement
  if (active?.closest('[role="dialog"]') == null) opener = active
  return opener
}

/**
 * Makes the page behind a dialog inert while the dialog is open. Afterwards it returns the focus to the element that had it,
 * or to the page's title if that element is gone.
 */
export function useInertPage(): void {
  const [target] = useState(findOpener)
  useEffect(() => {
    const page = document.getElementById('root')
    openDialogs++
    page?.toggleAttribute('inert', true)
    return () => {
      openDialogs--
      page?.toggleAttribute('inert', openDialogs > 0)
      // By then a following dialog has already taken the focus.
      setTimeout(() => {
        if (document.activeElement !== null && document.activeElement !== document.body) return
        const place = target?.isConnected === true ? target : document.querySelector('h1')
        if (place instanceof HTMLElement) place.focus()
      })
    }
  }, [target])
}
