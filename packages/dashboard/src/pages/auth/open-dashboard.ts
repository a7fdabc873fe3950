/**
 * Opens the dashboard after signing in. Its code is another one, so the browser loads the page. Going back does not return
 * to the sign-in form.
 *
 * @returns a promise that never settles, so that the pressed button stays busy until the page is gone
 */
export function openDashboard(path = '/dashboard'): Promise<never> {
  window.location.replace(path)
  return new Promise(() => {})
}
