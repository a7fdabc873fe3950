import { nativeDialogLook } from '../ui/class-names.ts'

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

interface BlockingDialog {
  /** Unique in the page. */
  readonly id: string
  readonly title: string
  readonly text: string
  /** The last one has the focus. Buttons would not work: the page gets no events from the dialog. */
  readonly links: readonly HTMLAnchorElement[]
}

/**
 * Opens a dialog of the browser itself: it lies above every dialog of the page, and makes them inert. Nobody can close
 * it, but the links lead on.
 *
 * @returns a function that closes it
 */
export function openBlockingDialog(content: BlockingDialog): () => void {
  const dialog = build(content)
  // Dialogs of the page must not take this one for a click, a key or a focus outside of them.
  const guard = (event: Event) => {
    if (event.target instanceof Node && dialog.contains(event.target)) event.stopImmediatePropagation()
  }
  for (const type of guarded) window.addEventListener(type, guard, true)
  document.body.append(dialog)
  dialog.showModal()
  return () => {
    for (const type of guarded) window.removeEventListener(type, guard, true)
    dialog.remove()
  }
}

function build({ id, title, text, links }: BlockingDialog): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = nativeDialogLook
  const heading = document.createElement('h2')
  heading.id = id
  heading.className = 'text-lg font-semibold tracking-tight'
  heading.textContent = title
  dialog.setAttribute('aria-labelledby', id)
  const words = document.createElement('p')
  words.className = 'mt-2 text-sm text-ink-soft'
  words.textContent = text
  const ways = document.createElement('div')
  ways.className = 'mt-5 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end'
  ways.append(...links)
  const last = links.at(-1)
  if (last !== undefined) last.autofocus = true
  dialog.append(heading, words, ways)
  // The page below is of no use: Escape must not lead back to it.
  dialog.addEventListener('cancel', (event) => event.preventDefault())
  dialog.addEventListener('close', () => dialog.isConnected && dialog.showModal())
  return dialog
}

/** A link for a {@link BlockingDialog}. It loads the page anew. */
export function linkTo(text: string, href: string, className: string): HTMLAnchorElement {
  const element = document.createElement('a')
  element.textContent = text
  element.href = href
  element.className = className
  return element
}
