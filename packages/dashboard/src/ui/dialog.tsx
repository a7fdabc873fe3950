import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { HoldContext } from './held-dialog.ts'
import { useModality } from './modality.ts'

/** What somebody opens a dialog for is more often a field than the button that closes it. */
const firstField = 'form input, form select, form textarea'

type DialogProps = {
  readonly title: string
  readonly description?: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
  /** Closes by its own buttons only: what it shows is shown once. */
  readonly isInsistent?: boolean
  readonly isWide?: boolean
}

/** A modal dialog, which is there as long as it is rendered: nothing of it stays in the page afterwards. */
export function Dialog({ title, description, onClose, children, isInsistent = false, isWide = false }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  const isHeld = useRef(false)
  const [hold] = useState(() => (held: boolean) => {
    isHeld.current = held
  })
  useModality()
  return (
    <Base.Root
      open
      disablePointerDismissal={isInsistent}
      onOpenChange={(isOpen, { reason }) => {
        if (!isOpen && !isHeld.current && !(isInsistent && reason === 'escape-key')) onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[oklch(0.15_0.02_230/0.5)] backdrop-blur-[2px]" />
        <Base.Viewport className="fixed inset-0 z-50 grid place-items-center overflow-y-auto p-3 sm:p-6">
          <Base.Popup
            ref={popup}
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
              {!isInsistent && (
                <Base.Close
                  aria-label="Close"
                  className="-mt-1 -mr-1 grid size-9 shrink-0 place-items-center rounded-lg text-ink-soft hover:bg-sunken hover:text-ink"
                >
                  <X aria-hidden="true" className="size-4" />
                </Base.Close>
              )}
            </div>
            <HoldContext value={hold}>{children}</HoldContext>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

/** The buttons at the end of a dialog: the one that does it comes last. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-col-reverse gap-2 pt-2 sm:flex-row sm:justify-end">{children}</div>
}
