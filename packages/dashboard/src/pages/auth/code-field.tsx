import { TextField } from '../../forms/fields.tsx'
import { textOf } from '../../forms/read-fields.ts'

interface CodeFieldProps {
  /** Moves the focus to the field when it appears. */
  readonly isFocused?: boolean
}

/** The code of an authenticator app. */
export function CodeField({ isFocused = false }: CodeFieldProps) {
  return (
    <TextField
      name="code"
      label="Code"
      hint="The 6 digits that your authenticator app shows."
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={16}
      required
      {...(isFocused && { ref: focus })}
    />
  )
}

/** A stable function: React calls it when the field appears, not on every render. */
const focus = (element: HTMLInputElement | null): void => element?.focus()

/** The typed code without spaces, because apps show codes in groups. */
export const codeOf = (data: FormData): string => textOf(data, 'code').replace(/\s/g, '')

export const problemOfCode = (code: string): string | null =>
  /^[0-9]{6}$/.test(code) ? null : 'Enter the 6 digits that your app shows.'
