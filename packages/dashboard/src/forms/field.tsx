import { Field as Base } from '@base-ui/react/field'
import type { ReactNode } from 'react'
import { useProblem } from './form.tsx'

export interface FieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: ReactNode
  readonly isOptional?: boolean
  /** Why the input cannot be read; the form is not sent until it can. */
  readonly unclear?: string
  /** Whether this is said now. Otherwise, once the form is sent. */
  readonly isUnclearShown?: boolean
}

/** The only problem that browsers find themselves. The form's `read` finds all others. */
const partialDate = 'Enter a complete date, or leave the field empty.'

/** A control with its label above, and its problem and hint below. */
export function Field({
  name,
  label,
  hint,
  isOptional = false,
  unclear,
  isUnclearShown = false,
  children
}: FieldProps & { readonly children: ReactNode }) {
  const problem = useProblem(name)
  return (
    <Base.Root name={name} className="min-w-0" validate={() => unclear ?? null} invalid={isUnclearShown}>
      <Base.Label className="mb-1.5 block text-sm font-medium">
        {label}
        {isOptional && <span className="font-normal text-ink-soft"> (optional)</span>}
      </Base.Label>
      {children}
      <Base.Error {...(isUnclearShown && { match: true })} className="mt-1.5 text-sm text-danger">
        {problem ?? unclear ?? partialDate}
      </Base.Error>
      {hint !== undefined && (
        <Base.Description className="mt-1.5 text-[0.8125rem] text-ink-soft">{hint}</Base.Description>
      )}
    </Base.Root>
  )
}
