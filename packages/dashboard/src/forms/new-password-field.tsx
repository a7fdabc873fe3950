import { useState } from 'react'
import { signInFacts } from '../page-facts.ts'
import { PasswordField } from './fields.tsx'
import { type Strength, strengthOf } from './password-strength.ts'

const { minPasswordLength } = signInFacts

const enough = `Use at least ${minPasswordLength} characters.`
const words: Readonly<Record<Strength, string>> = {
  short: enough,
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
    // A problem that the form found is shown instead of the hint.
    <div className="[&_[data-problem]~*]:hidden">
      <PasswordField
        name="password"
        label={label}
        autoComplete="new-password"
        hint={
          <span role="status">{password === '' ? `${enough} A few random words work well.` : words[strength]}</span>
        }
        required
        onInput={(event) => setPassword(event.currentTarget.value)}
      />
      <div aria-hidden="true" className="mt-2 flex h-1.5 w-24 gap-1">
        {password !== '' &&
          [1, 2, 3].map((part) => (
            <span
              key={part}
              className={`flex-1 rounded-full ${part <= filled[strength] ? colors[strength] : 'bg-line'}`}
            />
          ))}
      </div>
    </div>
  )
}
