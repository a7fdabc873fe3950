import { call } from '../api/call.ts'
import { queryClient, read } from '../api/queries.ts'
import { buttonLook } from '../ui/button.tsx'
import { linkTo, openBlockingDialog } from './blocking-dialog.ts'
import { sessionChannel } from './tabs.ts'

/** The page on which somebody typed or chose something last. */
let inputOn: string | null = null
document.addEventListener('input', () => {
  inputOn = window.location.pathname
})

/** Whether leaving the page now could lose what a person has typed, or what a dialog shows only once. */
export const couldLoseInput = (): boolean =>
  inputOn === window.location.pathname || document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

let asking: Promise<boolean> | null = null

/**
 * Asks people whose session has ended to sign in again in another tab, which keeps all that they typed in this one.
 * Calls that fail meanwhile wait for the same answer.
 *
 * @param here the address of this page, to return to if they choose to leave it
 * @returns true when the same person has signed in again
 */
export function askToSignInAgain(here: string): Promise<boolean> {
  asking ??= ask(here).finally(() => {
    asking = null
  })
  return asking
}

async function ask(here: string): Promise<boolean> {
  const signIn = linkTo('Sign in', signInPath({ next: '/signed-in' }), buttonLook({ tone: 'primary' }))
  signIn.target = '_blank'
  // With its opener, the new tab may close itself.
  signIn.rel = 'opener'
  const close = openBlockingDialog({
    id: 'sign-in-again',
    title: 'You have been signed out',
    text: 'Sign in again in a new tab. What you typed here stays.',
    links: [linkTo('Leave this page', signInPath({ ended: '1', next: here }), buttonLook()), signIn]
  })
  try {
    await signedInAgain()
    return true
  } finally {
    close()
  }
}

/**
 * Resolves when another tab has signed in the person that this page shows. For another person, the page is reloaded
 * elsewhere.
 */
function signedInAgain(): Promise<void> {
  const userId = queryClient.getQueryData(read('getUser').queryKey)?.user.id
  return new Promise((resolve) => {
    const returns = new AbortController()
    const check = async () => {
      const current = await call('getUser').catch(() => null)
      if (current === null || current.user.id !== userId) return
      returns.abort()
      resolve()
    }
    const until = { signal: returns.signal }
    sessionChannel.addEventListener('message', check, until)
    // A check without a connection learns nothing, and a sign-in elsewhere may send no message.
    window.addEventListener('focus', check, until)
    window.addEventListener('online', check, until)
  })
}

export interface SignInSearch {
  /** The session has ended while the page was open. */
  readonly ended?: '1'
  /** The page to return to. */
  readonly next?: string
}

/** The address of the sign-in page. */
export function signInPath(search: SignInSearch): string {
  const query = new URLSearchParams({ ...search }).toString()
  return query === '' ? '/login' : `/login?${query}`
}
