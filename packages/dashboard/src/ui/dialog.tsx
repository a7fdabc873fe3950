import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { Banner } from './banner.tsx'
import { KeepOpenContext } from './keep-dialog-open.ts'

/** The first field takes the focus, not the close button. */
const firstField = 'form input, form select, form textarea'

/** The element of the page that had the focus last. Dialogs are outside of the page. */
let opener: Element | null = null
document.addEventListener('focusout', ({ target }) => {
  if (target instanceof Element && target.closest('#root') !== null) opener = target
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

/**
 * A modal dialog. It is open while it is rendered, and leaves nothing in the page afterwards. While its form has input that
 * was not sent, Escape and a click outside close it only when they are repeated.
 */
export function Dialog({ title, description, onClose, children, isDismissable = true, isWide = false }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  const isKeptOpen = useRef(false)
  const changed = useRef<Element>(null)
  const [isWarned, setWarned] = useState(false)
  const [keepOpen] = useState(() => (isBusy: boolean) => {
    isKeptOpen.current = isBusy
  })
  return (
    <Base.Root
      open
      disablePointerDismissal={!isDismissable}
      onOpenChange={(isOpen, { reason }) => {
        if (isOpen || isKeptOpen.current || !(isDismissable || reason !== 'escape-key')) return
        if (changed.current?.isConnected === true && !isWarned && accidental.has(reason)) setWarned(true)
        else onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[oklch(0.15_0.02_230/0.5)] backdrop-blur-[2px]" />
        <Base.Viewport className="fixed inset-0 z-50 grid place-items-center overflow-y-auto p-3 sm:p-6">
          <Base.Popup
            ref={popup}
            onInput={({ target }) => {
              changed.current = target instanceof Element ? target.closest('form') : null
              setWarned(false)
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
            {isWarned && (
              <div className="mt-4">
                <Banner tone="warning" title="Your input is not saved" isAnnounced>
                  Close the dialog once more to discard it.
                </Banner>
              </div>
            )}
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
