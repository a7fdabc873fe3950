import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { loadCode } from '../api/load-code.ts'
import { WaitingDialog } from './waiting-dialog.tsx'

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
 * Like {@link lazyDialog}, but its code is loaded when it is opened, or by `preload`. While it loads, and if that fails, a small
 * dialog says so, and the page keeps what was typed.
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
