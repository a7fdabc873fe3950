import { Form as Base } from '@base-ui/react/form'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { ApiError, isCode } from '../api/api-error.ts'
import { refetchShown } from '../api/call.ts'
import { Banner } from '../ui/banner.tsx'
import { useKeepDialogOpen } from '../ui/keep-dialog-open.ts'
import { noProblems, type Problems, toProblems } from './problems.ts'

/** The validated values of a form, or its problems by field name. */
export type Reading<Values> =
  | { readonly ok: true; readonly values: Values }
  | { readonly ok: false; readonly problems: Readonly<Record<string, string>> }

/** The reading of a form without fields. */
export const readNothing = (): Reading<null> => ({ ok: true, values: null })

export interface FormProps<Values> {
  /** Validates the input before anything is sent. */
  readonly read: (data: FormData) => Reading<Values>
  readonly submit: (values: Values) => Promise<void>
  /** `isPending`: the change is saved, but not active yet. */
  readonly children: (isBusy: boolean, isPending: boolean) => ReactNode
  readonly className?: string
}

const ProblemsContext = createContext<Readonly<Record<string, string>>>({})

/** The problem of a field of the surrounding form; undefined if it has none. */
export const useProblem = (name: string): string | undefined => useContext(ProblemsContext)[name]

/**
 * A form with uncontrolled fields. A problem of a field is shown beside it, and the first such field gets the focus.
 * Another problem is shown at the top of the form, and gets the focus: the end of a long form may be out of sight.
 */
export function Form<Values>({ read, submit, children, className = 'space-y-4' }: FormProps<Values>) {
  const form = useRef<HTMLFormElement>(null)
  const general = useRef<HTMLDivElement>(null)
  const [problems, setProblems] = useState<Problems>(noProblems)
  const [isPending, setPending] = useState(false)
  const [isBusy, setBusy] = useState(false)
  useKeepDialogOpen(isBusy)

  // What is wrong gets the focus. The base form does this only for problems that it finds at once.
  useEffect(() => {
    if (problems === noProblems) return
    const frame = requestAnimationFrame(() => {
      const target = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]') ?? general.current
      // A closed fold takes no focus.
      const fold = target?.closest('details')
      if (fold != null) fold.open = true
      target?.focus()
      target?.scrollIntoView({ block: 'nearest' })
    })
    return () => cancelAnimationFrame(frame)
  }, [problems])

  const onSubmit = async (element: HTMLFormElement) => {
    if (isBusy) return
    const reading = read(new FormData(element))
    if (!reading.ok) return setProblems({ fields: reading.problems, general: null })
    setProblems(noProblems)
    setBusy(true)
    try {
      await submit(reading.values)
      setPending(false)
    } catch (error) {
      const isSaved = isCode(error, 'change_pending')
      setPending(isSaved)
      // The page shows the saved state. After a lost answer, it shows whether the change was made.
      if (isSaved || (error instanceof ApiError && error.isAnswerLost)) refetchShown()
      if (!isSaved) setProblems(toProblems(error, namesIn(element)))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Base
      ref={form}
      errors={problems.fields}
      className={className}
      onSubmit={(event) => {
        event.preventDefault()
        void onSubmit(event.currentTarget)
      }}
    >
      <ProblemsContext value={problems.fields}>
        {problems.general !== null && (
          <div ref={general} tabIndex={-1} className="scroll-m-6 outline-none">
            <Banner tone="danger" isAnnounced>
              {problems.general}
            </Banner>
          </div>
        )}
        {children(isBusy, isPending)}
        {isPending && !isBusy && (
          <Banner tone="warning" title="Saved, but not active yet" isAnnounced>
            The change becomes active on its own. Press the button again to check.
          </Banner>
        )}
      </ProblemsContext>
    </Base>
  )
}

const namesIn = (form: HTMLFormElement): Set<string> =>
  new Set([...form.elements].map((element) => element.getAttribute('name') ?? '').filter((name) => name !== ''))
