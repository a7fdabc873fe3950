import { useState } from 'react'
import { TextField } from '../../forms/fields.tsx'
import { textLink } from '../../ui/class-names.ts'

interface CodeFieldProps {
  /** Moves the focus to the field when it appears. */
  readonly isFocused?: boolean
  /** Whether a recovery code is accepted, too. */
  readonly mayRecover?: boolean
}

/** The code of an authenticator app, or a recovery code instead. */
export function CodeField({ isFocused = false, mayRecover = true }: CodeFieldProps) {
  const [isRecovering, setRecovering] = useState(false)
  return (
    <div>
      {isRecovering ? (
        <TextField
          key="recovery"
          name="code"
          label="Recovery code"
          hint="One of the codes you saved, such as abcd-efgh-jkmn-pqrs. Each works once."
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={40}
          required
          ref={focus}
        />
      ) : (
        <TextField
          key="app"
          name="code"
          label="Code"
          hint="The 6 digits that your authenticator app shows."
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={40}
          required
          {...(isFocused && { ref: focus })}
        />
      )}
      {mayRecover && (
        <button type="button" className={`mt-2 text-sm ${textLink}`} onClick={() => setRecovering(!isRecovering)}>
          {isRecovering ? 'Use the code of my app' : 'Use a recovery code'}
        </button>
      )}
    </div>
  )
}

/** Moves the focus to a field. A stable function: React calls it when the field appears, not on every render. */
export const focus = (element: HTMLInputElement | null): void => element?.focus()
