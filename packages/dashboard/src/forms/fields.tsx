import { Field as Base } from '@base-ui/react/field'
import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, type ReactElement, type ReactNode, useState } from 'react'
import { controlLook } from '../ui/class-names.ts'
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
      <Base.Error data-problem {...(isUnclearShown && { match: true })} className="mt-1.5 text-sm text-danger">
        {problem ?? unclear ?? partialDate}
      </Base.Error>
      {hint !== undefined && (
        <Base.Description className="mt-1.5 text-[0.8125rem] text-ink-soft">{hint}</Base.Description>
      )}
    </Base.Root>
  )
}

/** The unit of a number, at the right of its field. */
export function Unit({ children }: { readonly children: string }) {
  return (
    <span className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-sm text-ink-soft">
      {children}
    </span>
  )
}

/** Keyboards for the types that browsers would check themselves, in the words of their own language. */
const keyboards: Readonly<Record<string, 'email' | 'url'>> = { email: 'email', url: 'url' }

/**
 * The attributes of an input that the form's `read` checks: `required` is only announced, and `email` and `url` only
 * choose the keyboard.
 */
function uncheckedByBrowser({ required, type, ...rest }: ComponentProps<'input'>): ComponentProps<'input'> {
  const keyboard = keyboards[type ?? '']
  return {
    ...(required === true && { 'aria-required': true }),
    ...(keyboard === undefined ? { type } : { inputMode: keyboard, autoCapitalize: 'off', spellCheck: false }),
    ...rest
  }
}

type TextFieldProps = FieldProps &
  Omit<ComponentProps<'input'>, 'name' | 'id' | 'className'> & { readonly unit?: string }

export function TextField({ name, label, hint, isOptional, unit, ...input }: TextFieldProps) {
  return (
    <Field name={name} label={label} hint={hint} isOptional={isOptional ?? false}>
      <div className="relative">
        <Base.Control
          {...uncheckedByBrowser(input)}
          className={`${controlLook} h-10 ${unit === undefined ? '' : 'pr-28'} read-only:bg-sunken`}
        />
        {unit !== undefined && <Unit>{unit}</Unit>}
      </div>
    </Field>
  )
}

/** A password input with a button that shows the password. */
export function PasswordField({ name, label, hint, ...input }: TextFieldProps) {
  const [isShown, setShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  return (
    <Field name={name} label={label} hint={hint}>
      <div className="relative">
        <Base.Control
          {...uncheckedByBrowser(input)}
          type={isShown ? 'text' : 'password'}
          className={`${controlLook} h-10 pr-11`}
        />
        <button
          type="button"
          aria-label={isShown ? 'Hide password' : 'Show password'}
          className="absolute inset-y-1 right-1 grid w-9 place-items-center rounded-md text-ink-soft hover:text-ink"
          onClick={() => setShown(!isShown)}
        >
          <Icon aria-hidden="true" className="size-4" />
        </button>
      </div>
    </Field>
  )
}

/** Another element as the control of a field. */
const control = (element: ReactElement) => <Base.Control render={element} />

type TextAreaFieldProps = FieldProps & Omit<ComponentProps<'textarea'>, 'name' | 'id' | 'className'>

/** Several lines of code. */
export function TextAreaField({ name, label, hint, isOptional, required, ...area }: TextAreaFieldProps) {
  return (
    <Field name={name} label={label} hint={hint} isOptional={isOptional ?? false}>
      {control(
        <textarea
          {...area}
          {...(required === true && { 'aria-required': true })}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          className={`${controlLook} min-h-40 resize-y py-2.5 font-mono text-[0.8125rem] leading-relaxed`}
        />
      )}
    </Field>
  )
}

/** @param props.problemId the id of the element that shows the problem of the whole group */
export function CheckField({
  name,
  label,
  value = 'on',
  defaultChecked,
  problemId
}: FieldProps & { value?: string; defaultChecked?: boolean; problemId?: string | undefined }) {
  return (
    <label className="flex min-h-8 items-center gap-2.5 text-sm">
      <input
        type="checkbox"
        name={name}
        value={value}
        {...(defaultChecked !== undefined && { defaultChecked })}
        {...(problemId !== undefined && { 'aria-invalid': true, 'aria-describedby': problemId })}
        className="size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0 break-words">{label}</span>
    </label>
  )
}
