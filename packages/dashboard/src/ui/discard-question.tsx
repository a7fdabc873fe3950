import { AlertDialog as Alert } from '@base-ui/react/alert-dialog'
import { useRef } from 'react'
import { Button } from './button.tsx'

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
