import { type ComponentType, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { ApiError, explain } from '../api/api-error.ts'
import { loadCode } from '../api/load-code.ts'
import { Button, Spinner } from '../ui/button.tsx'
import { nativeDialogLook } from '../ui/class-names.ts'
import { type Retry, useAutoRetry } from '../ui/use-auto-retry.ts'

/** By then the page is shown, and has requested its data. */
const preloadAfterMs = 2000

interface Closable {
  readonly onClose: () => void
}
type Dialog<Props extends Closable> = ((props: Props) => ReactNode) & {
  /** Loads the code before it is needed. A failure is told when the dialog is opened. */
  readonly preload: () => void
}

/**
 * A dialog whose code is loaded after the page, or when it is opened before that. Pages show sooner without it.
 *
 * @param load imports the module
 * @param name the component in the module
 */
export function lazyDialog<Module extends object, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name
): Dialog<PropsOf<Module[Name]>> {
  const dialog = dialogOnDemand(load, name)
  setTimeout(dialog.preload, preloadAfterMs)
  return dialog
}

/**
 * Like {@link lazyDialog}, but its code is loaded when it is opened, or by `preload`. While it loads, and if that
 * fails, a small dialog says so, and the page keeps what was typed.
 */
export function dialogOnDemand<Module extends object, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name
): Dialog<PropsOf<Module[Name]>> {
  const code = new Code(async () => (await load())[name] as ComponentType<PropsOf<Module[Name]>>)
  return Object.assign((props: PropsOf<Module[Name]>) => <OnDemand code={code} given={props} />, {
    preload: () => void code.load().catch(() => {})
  })
}

/** A component that is imported once. If that fails, the next call tries again. */
class Code<Props> {
  /** Null until it is loaded. */
  component: ComponentType<Props> | null = null
  readonly #load: () => Promise<ComponentType<Props>>

  constructor(load: () => Promise<ComponentType<Props>>) {
    this.#load = load
  }

  async load(): Promise<void> {
    this.component ??= await loadCode(this.#load)
  }
}

function OnDemand<Props extends Closable>({ code, given }: { readonly code: Code<Props>; readonly given: Props }) {
  const [isLoading, setLoading] = useState(code.component === null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    if (!isLoading) return
    let isClosed = false
    const finish = (failure: unknown) => {
      if (isClosed) return
      setError(failure)
      setLoading(false)
    }
    code.load().then(() => finish(null), finish)
    return () => {
      isClosed = true
    }
  }, [code, isLoading])
  if (code.component !== null) return <code.component {...given} />
  return <WaitingDialog error={error} isRetrying={isLoading} onRetry={() => setLoading(true)} onClose={given.onClose} />
}

type PropsOf<Component> = Component extends (props: infer Props extends Closable) => unknown ? Props : never

/** Code usually arrives sooner. Then nothing flashes. */
const shownAfterMs = 500

interface WaitingDialogProps extends Retry {
  readonly onClose: () => void
}

/**
 * Shown in the place of a dialog whose code is still loading, or could not be loaded. The page below keeps what was
 * typed.
 */
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
