const privatePaths = /^\/(dashboard|invitations)(\/|$)/

/** Whether the current page shows data of a signed-in user. */
export const isPrivatePage = (): boolean => privatePaths.test(window.location.pathname)

/**
 * Reloads private pages that the browser restores from its back/forward cache, and hides them until then. A restored page
 * could show the data of a user who has signed out since.
 */
export function reloadRestoredPages(): void {
  window.addEventListener('pagehide', ({ persisted }) => {
    if (persisted && isPrivatePage()) document.body.hidden = true
  })
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted && isPrivatePage()) window.location.reload()
  })
}
