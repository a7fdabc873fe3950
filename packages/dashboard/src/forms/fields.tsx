import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { useProblem } from './form.tsx'

export const controlLook =
  'w-full rounded-lg border border-line-strong bg-surface px-3 text-ink placeholder:text-ink-soft/80 hover:border-ink-soft aria-invalid:border-danger'

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: ReactNode
  readonly isOptional?: boolean
}
interface Described {
  id: string
  name: string
  'aria-invalid'?: true
  'aria-describedby'?: string
}

/** A control with its label above, and its problem and hint below. */
export function Field({
  name,
  label,
  hint,
  isOptional = false,
  children
}: FieldProps & { readonly children: (control: Described) => ReactNode }) {
  const id = useId()
  const problem = useProblem(name)
  const describedBy = [hint === undefined ? null : `${id}-hint`, problem === undefined ? null : `${id}-problem`]
    .filter((part) => part !== null)
    .join(' ')
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
        {isOptional && <span className="font-normal text-ink-soft"> (optional)</span>}
      </label>
      {children({
        id,
        name,
        ...(problem !== undefined && { 'aria-invalid': true }),
        ...(describedBy !== '' && { 'aria-describedby': describedBy })
      })}
      {problem !== undefined && (
        <p id={`${id}-problem`} className="mt-1.5 text-sm text-danger">
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1.5 text-[0.8125rem] text-ink-soft">
          {hint}
        </p>
      )}
    </div>
  )
}

type TextFieldProps = FieldProps &
  Omit<ComponentProps<'input'>, 'name' | 'id' | 'className'> & { readonly unit?: string }

export function TextField({ name, label, hint, isOptional, unit, ...input }: TextFieldProps) {
  return (
    <Field name={name} label={label} hint={hint} isOptional={isOptional ?? false}>
      {(control) => (
        <div className="relative">
          <input
            {...input}
            {...control}
            className={`${controlLook} h-10 ${unit === undefined ? '' : 'pr-28'} read-only:bg-sunken`}
          />
          {unit !== undefined && (
            <span className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-sm text-ink-soft">
              {unit}
            </span>
          )}
        </div>
      )}
    </Field>
  )
}

/** A password input with a button that shows the password. */
export function PasswordField({ name, label, hint, ...input }: TextFieldProps) {
  const [isShown, setShown] = useState(false)
  const Icon = isShown ? EyeOff : Eye
  return (
    <Field name={name} label={label} hint={hint}>
      {(control) => (
        <div className="relative">
          <input {...input} {...control} type={isShown ? 'text' : 'password'} className={`${controlLook} h-10 pr-11`} />
          <button
            type="button"
            aria-label={isShown ? 'Hide password' : 'Show password'}
            className="absolute inset-y-1 right-1 grid w-9 place-items-center rounded-md text-ink-soft hover:text-ink"
            onClick={() => setShown(!isShown)}
          >
            <Icon aria-hidden="true" className="size-4" />
          </button>
        </div>
      )}
    </Field>
  )
}

type TextAreaFieldProps = FieldProps & Omit<ComponentProps<'textarea'>, 'name' | 'id' | 'className'>

/** Several lines of code. */
export function TextAreaField({ name, label, hint, isOptional, ...area }: TextAreaFieldProps) {
  return (
    <Field name={name} label={label} hint={hint} isOptional={isOptional ?? false}>
      {(control) => (
        <textarea
          {...area}
          {...control}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          className={`${controlLook} min-h-40 resize-y py-2.5 font-mono text-[0.8125rem] leading-relaxed`}
        />
      )}
    </Field>
  )
}

type SelectFieldProps = FieldProps &
  Omit<ComponentProps<'select'>, 'name' | 'id' | 'className'> & {
    readonly options: ReadonlyArray<readonly [value: string, text: string]>
  }

export function SelectField({ name, label, hint, isOptional, options, ...select }: SelectFieldProps) {
  return (
    <Field name={name} label={label} hint={hint} isOptional={isOptional ?? false}>
      {(control) => (
        <select {...select} {...control} className={`${controlLook} h-10`}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
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
