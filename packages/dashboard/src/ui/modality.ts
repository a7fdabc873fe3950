import { useEffect, useState } from 'react'

let opener: Element | null = null
let openDialogs = 0

/** What had the focus when a dialog was opened; for one that follows another, when the first of them was. */
function findOpener(): Element | null {
  const active = document.activeElement
  if (active?.closest('[role="dialog"]') == null) opener = active
  return opener
}

/**
 * As long as the component is there, nothing of the page behind it can be reached. When it goes, what had the focus before
 * has it again; or the page's title, if that is gone.
 */
export function useModality(): void {
  const [target] = useState(findOpener)
  useEffect(() => {
    const page = document.getElementById('root')
    openDialogs++
    page?.toggleAttribute('inert', true)
    return () => {
      openDialogs--
      page?.toggleAttribute('inert', openDialogs > 0)
      // A dialog that follows this one has the focus by then.
      setTimeout(() => {
        if (document.activeElement !== null && document.activeElement !== document.body) return
        const place = target?.isConnected === true ? target : document.querySelector('h1')
        if (place instanceof HTMLElement) place.focus()
      })
    }
  }, [target])
}
