import { type SignInSearch, signInPath } from '../../layout/sign-in-again.ts'
import { mailFragment } from './mail-link.ts'

/**
 * Opens the sign-in page in the place of this one. It is an app of its own, so the browser loads it. The link of a mail
 * that opened this page goes along.
 *
 * @returns a promise that never settles: the page is about to be gone
 */
export function openSignIn(search: SignInSearch): Promise<never> {
  window.location.replace(signInPath(search) + mailFragment())
  return new Promise(() => {})
}
