import { TextField } from '../../forms/fields.tsx'
import { textOf } from '../../forms/read-fields.ts'

type CodeFieldProps = {
  /** For a field that appears while somebody is at work. */
  readonly isFocused?: boolean
}

/** The code of an authenticator app. */
export function CodeField({ isFocused = false }: CodeFieldProps) {
  return (
    <TextField
      name="code"
      label="Code"
      hint="The six digits that your authenticator app shows."
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={16}
      required
      {...(isFocused && { ref: focus })}
    />
  )
}

/** Of this module, so that it runs when the field appears, and not each time that the page changes. */
const focus = (element: HTMLInputElement | null): void => element?.focus()

/** What was typed, without the spaces that apps show. */
export const codeOf = (data: FormData): string => textOf(data, 'code').replace(/\s/g, '')

export const problemOfCode = (code: string): string | null =>
  /^[0-9]{6}$/.test(code) ? null : 'Enter the six digits that your app shows.'
