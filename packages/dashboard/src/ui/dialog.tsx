import { AlertDialog as Alert } from '@base-ui/react/alert-dialog'
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { KeepOpenContext } from './keep-dialog-open.ts'

/** The first field takes the focus, not the close button. */
const firstField = 'form input, form select, form textarea'

/**
 * The element of the page that had the focus last. Dialogs are outside of the page, but for those that wait for their
 * code or data.
 */
let opener: Element | null = null
document.addEventListener('focusout', ({ target }) => {
  if (target instanceof Element && target.closest('#root') !== null && target.closest('dialog') === null)
    opener = target
})

/** The element that opened the dialog. Without it, such as after a row was deleted, the title of the page. */
const findReturnTarget = (): HTMLElement | null => {
  const target = opener?.isConnected === true ? opener : document.querySelector('h1')
  return target instanceof HTMLElement ? target : null
}

interface DialogProps {
  readonly title: string
  readonly description?: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
  /** Whether Escape, a click outside or a close button closes it. False for content that is shown only once. */
  readonly isDismissable?: boolean
  readonly isWide?: boolean
}

/** Ways to close a dialog that are easily taken by mistake. */
const accidental: ReadonlySet<string> = new Set(['escape-key', 'outside-press'])

/** All values of a form, to tell whether they have changed. */
const valuesOf = (form: HTMLFormElement): string => JSON.stringify([...new FormData(form)])

/**
 * A modal dialog. It is open while it is rendered, and leaves nothing in the page afterwards. While its form has input
 * that was not sent, Escape and a click outside ask whether to discard it.
 */
export function Dialog({ title, description, onClose, children, isDismissable = true, isWide = false }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  const isKeptOpen = useRef(false)
  /** The values of each form when it got the focus first. */
  const [first] = useState(() => new WeakMap<HTMLFormElement, string>())
  const isChanged = () =>
    [...(popup.current?.querySelectorAll('form') ?? [])].some(
      (form) => (first.get(form) ?? valuesOf(form)) !== valuesOf(form)
    )
  const [isAsking, setAsking] = useState(false)
  const [keepOpen] = useState(() => (isBusy: boolean) => {
    isKeptOpen.current = isBusy
  })
  return (
    <Base.Root
      open
      disablePointerDismissal={!isDismissable}
      onOpenChange={(isOpen, { reason }) => {
        if (isOpen || isKeptOpen.current || !(isDismissable || reason !== 'escape-key')) return
        if (accidental.has(reason) && isChanged()) setAsking(true)
        else onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[oklch(0.15_0.02_230/0.5)] backdrop-blur-[2px]" />
        <Base.Viewport className="fixed inset-0 z-50 grid place-items-center overflow-y-auto p-3 sm:p-6">
          <Base.Popup
            ref={popup}
            onFocus={({ target }) => {
              const form = target.closest('form')
              if (form !== null && !first.has(form)) first.set(form, valuesOf(form))
            }}
            finalFocus={findReturnTarget}
            initialFocus={() => popup.current?.querySelector<HTMLElement>(firstField) ?? true}
            className={`w-full ${isWide ? 'max-w-2xl' : 'max-w-lg'} rounded-2xl border border-line bg-surface p-5 shadow-popup outline-none sm:p-6`}
          >
            <div className="mb-5 flex items-start justify-between gap-4">
              <div className="min-w-0">
                <Base.Title className="text-lg font-semibold tracking-tight break-words">{title}</Base.Title>
                {description !== undefined && (
                  <Base.Description render={<div />} className="mt-1 text-sm break-words text-ink-soft">
                    {description}
                  </Base.Description>
                )}
              </div>
              {isDismissable && (
                <Base.Close
                  aria-label="Close"
                  className="-mt-1 -mr-1 grid size-9 shrink-0 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
                >
                  <X aria-hidden="true" className="size-4" />
                </Base.Close>
              )}
            </div>
            <KeepOpenContext value={keepOpen}>{children}</KeepOpenContext>
            {isAsking && <DiscardQuestion onKeep={() => setAsking(false)} onDiscard={onClose} />}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/** The buttons at the end of a dialog. The confirming button comes last. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-col-reverse gap-2 pt-2 sm:flex-row sm:justify-end">{children}</div>
}

interface DiscardQuestionProps {
  readonly onKeep: () => void
  readonly onDiscard: () => void
}

/** Asks over the page or its dialog, so that the question is in sight wherever the form is scrolled to. */
export function DiscardQuestion({ onKeep, onDiscard }: DiscardQuestionProps) {
  const keep = useRef<HTMLButtonElement>(null)
  return (
    <Alert.Root open onOpenChange={(isOpen) => !isOpen && onKeep()}>
      <Alert.Portal>
        <Alert.Backdrop className="fixed inset-0 z-50 bg-[oklch(0.15_0.02_230/0.5)]" />
        <Alert.Viewport className="fixed inset-0 z-60 grid place-items-center p-3 sm:p-6">
          <Alert.Popup
            initialFocus={keep}
            className="w-full max-w-sm rounded-2xl border border-line bg-surface p-5 shadow-popup outline-none"
          >
            <Alert.Title className="text-lg font-semibold tracking-tight">Discard your changes?</Alert.Title>
            <Alert.Description className="mt-1 text-sm text-ink-soft">What you entered is not saved.</Alert.Description>
            <div className="mt-4 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
              <Button tone="danger" onClick={onDiscard}>
                Discard
              </Button>
              <Button ref={keep} tone="primary" onClick={onKeep}>
                Keep editing
              </Button>
            </div>
          </Alert.Popup>
        </Alert.Viewport>
      </Alert.Portal>
    </Alert.Root>
  )
}
