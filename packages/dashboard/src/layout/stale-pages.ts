const personal = /^\/(dashboard|invitations)(\/|$)/

/** Whether the present page shows what somebody who is signed in may see. */
export const isPersonal = (): boolean => personal.test(window.location.pathname)

/**
 * Browsers keep pages that were left, and on going back show them as they were: with what was read for somebody who may
 * have signed out since, and with buttons that wait for what is over. Such a page is loaded anew, and not seen before.
 */
export function reloadStalePages(): void {
  window.addEventListener('pagehide', ({ persisted }) => {
    if (persisted && isPersonal()) document.body.hidden = true
  })
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted && isPersonal()) window.location.reload()
  })
}
