import { call } from '../api/call.ts'
import { queryClient, read } from '../api/queries.ts'
import { buttonLook } from '../ui/button.tsx'
import { nativeDialogLook } from '../ui/native-dialog-look.ts'
import { signInPath } from './sign-in-path.ts'
import { sessionChannel } from './tell-other-tabs.ts'

/** The page on which somebody typed or chose something last. */
let inputOn: string | null = null
document.addEventListener('input', () => {
  inputOn = window.location.pathname
})

/** Events that would make an open dialog of the page close itself, because they happen outside of it. */
const guarded = [
  'pointerdown',
  'pointerup',
  'mousedown',
  'mouseup',
  'touchstart',
  'click',
  'keydown',
  'focusin'
] as const

/** Whether leaving the page now could lose what a person has typed, or what a dialog shows only once. */
export const couldLoseInput = (): boolean =>
  inputOn === window.location.pathname || document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

let asking: Promise<boolean> | null = null

/**
 * Asks people whose session has ended to sign in again in another tab, which keeps all that they typed in this one. Calls that
 * fail meanwhile wait for the same answer.
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
  const dialog = build(here)
  // Dialogs of the page must not take this one for a click, a key or a focus outside of them.
  const guard = (event: Event) => {
    if (event.target instanceof Node && dialog.contains(event.target)) event.stopImmediatePropagation()
  }
  for (const type of guarded) window.addEventListener(type, guard, true)
  document.body.append(dialog)
  dialog.showModal()
  try {
    await signedInAgain()
    return true
  } finally {
    for (const type of guarded) window.removeEventListener(type, guard, true)
    dialog.remove()
  }
}

/** Resolves when another tab has signed in the person that this page shows. For another person, the page is reloaded elsewhere. */
function signedInAgain(): Promise<void> {
  const shown = queryClient.getQueryData(read('getUser').queryKey)?.user.id
  return new Promise((resolve) => {
    const returns = new AbortController()
    const check = async () => {
      const current = await call('getUser').catch(() => null)
      if (current === null || current.user.id !== shown) return
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

/** A dialog of the browser itself: it lies above every dialog of the page, and makes them inert. */
function build(here: string): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = nativeDialogLook
  const title = document.createElement('h2')
  title.id = 'sign-in-again'
  title.className = 'text-lg font-semibold tracking-tight'
  title.textContent = 'You have been signed out'
  dialog.setAttribute('aria-labelledby', title.id)
  const text = document.createElement('p')
  text.className = 'mt-2 text-sm text-ink-soft'
  text.textContent = 'Sign in again in a new tab. What you typed here stays.'
  const links = document.createElement('div')
  links.className = 'mt-5 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end'
  const signIn = link('Sign in', signInPath({ next: '/signed-in' }), buttonLook({ tone: 'primary' }))
  signIn.target = '_blank'
  // With its opener, the new tab may close itself.
  signIn.rel = 'opener'
  signIn.autofocus = true
  links.append(link('Leave this page', signInPath({ ended: '1', next: here }), buttonLook()), signIn)
  dialog.append(title, text, links)
  // Without a session, the page below is of no use: Escape must not lead back to it.
  dialog.addEventListener('cancel', (event) => event.preventDefault())
  dialog.addEventListener('close', () => dialog.isConnected && dialog.showModal())
  return dialog
}

function link(text: string, href: string, className: string): HTMLAnchorElement {
  const element = document.createElement('a')
  element.textContent = text
  element.href = href
  element.className = className
  return element
}
