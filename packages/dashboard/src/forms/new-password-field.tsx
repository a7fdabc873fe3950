import { useState } from 'react'
import { signInFacts } from '../page-facts.ts'
import { PasswordField } from './fields.tsx'
import { type Strength, strengthOf } from './password-strength.ts'

const { minPasswordLength } = signInFacts

const words: Readonly<Record<Strength, string>> = {
  short: 'Too short',
  weak: 'Easy to guess. Add more words.',
  fair: 'Fair. More words make it stronger.',
  strong: 'Strong'
}
const filled: Readonly<Record<Strength, number>> = { short: 0, weak: 1, fair: 2, strong: 3 }
const colors: Readonly<Record<Strength, string>> = {
  short: 'bg-line',
  weak: 'bg-danger',
  fair: 'bg-warning',
  strong: 'bg-accent'
}

/** The field for a new password. It shows how strong the password is while the person types. */
export function NewPasswordField({ label = 'Password' }: { readonly label?: string }) {
  const [password, setPassword] = useState('')
  const strength = strengthOf(password, minPasswordLength)
  return (
    <div>
      <PasswordField
        name="password"
        label={label}
        autoComplete="new-password"
        hint={`Use at least ${minPasswordLength} characters. A few random words work well.`}
        required
        onInput={(event) => setPassword(event.currentTarget.value)}
      />
      <div className="mt-2 flex min-h-5 items-center gap-3 text-[0.8125rem] text-ink-soft">
        {password !== '' && (
          <span aria-hidden="true" className="flex w-24 shrink-0 gap-1">
            {[1, 2, 3].map((part) => (
              <span
                key={part}
                className={`h-1.5 flex-1 rounded-full ${part <= filled[strength] ? colors[strength] : 'bg-line'}`}
              />
            ))}
          </span>
        )}
        <span role="status">{password === '' ? '' : words[strength]}</span>
      </div>
    </div>
  )
}
