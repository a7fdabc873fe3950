import { type ReactNode, useEffect, useId, useRef } from 'react'
import { ApiError, explain } from '../api/api-error.ts'
import { Button, Spinner } from '../ui/button.tsx'
import { nativeDialogLook } from '../ui/native-dialog-look.ts'
import { type Retry, useAutoRetry } from '../ui/use-auto-retry.ts'

/** Code usually arrives sooner. Then nothing flashes. */
const shownAfterMs = 500

interface WaitingDialogProps extends Retry {
  readonly onClose: () => void
}

/** Shown in the place of a dialog whose code is still loading, or could not be loaded. The page below keeps what was typed. */
export function WaitingDialog({ onClose, ...retry }: WaitingDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const title = useId()
  const { error, onRetry, isRetrying } = retry
  const hasFailed = error !== null
  useAutoRetry(retry)
  useEffect(() => {
    const timer = setTimeout(
      () => dialog.current?.open === false && dialog.current.showModal(),
      hasFailed ? 0 : shownAfterMs
    )
    return () => clearTimeout(timer)
  }, [hasFailed])
  // Closing it first returns the focus to the button that opened it.
  const close = () => {
    dialog.current?.close()
    onClose()
  }
  const { heading, text, action } = describe(error, isRetrying, onRetry)
  return (
    <dialog
      ref={dialog}
      aria-labelledby={title}
      className={nativeDialogLook}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
    >
      <h2 id={title} className="flex items-center gap-3 text-lg font-semibold tracking-tight">
        {!hasFailed && <Spinner />}
        {heading}
      </h2>
      <p role={hasFailed ? 'alert' : 'status'} className="mt-2 text-sm text-ink-soft">
        {text}
      </p>
      <div className="mt-5 flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button onClick={close}>Cancel</Button>
        {action}
      </div>
    </dialog>
  )
}

function describe(
  error: unknown,
  isRetrying: boolean,
  onRetry: () => void
): { readonly heading: string; readonly text: string; readonly action: ReactNode } {
  if (error === null) return { heading: 'Loading …', text: 'The connection is slow.', action: null }
  if (error instanceof ApiError) {
    return {
      heading: 'This could not be opened',
      text: `${explain(error)} It opens on its own as soon as it can.`,
      action: (
        <Button tone="primary" isBusy={isRetrying} onClick={onRetry}>
          Try again
        </Button>
      )
    }
  }
  return {
    heading: 'Reload the page to continue',
    text: 'There is a newer version of it, or a part of it could not be loaded. Reloading loses what you typed here and did not save.',
    action: (
      <Button tone="primary" onClick={() => window.location.reload()}>
        Reload page
      </Button>
    )
  }
}
