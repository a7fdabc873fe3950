import { signInFacts } from '../../sign-in-facts.ts'
import { buttonLook } from '../../ui/button.tsx'
import { withNext } from './next-path.ts'

interface ProviderButtonsProps {
  /** The page of the dashboard to open once signed in. */
  readonly next?: string | undefined
}

/** Links to the sign-in providers that the operator offers. Nothing without any. */
export function ProviderButtons({ next }: ProviderButtonsProps) {
  if (signInFacts.providers.length === 0) return null
  return (
    <div className="mb-5 space-y-5">
      <div className="grid gap-2">
        {signInFacts.providers.map(({ id, name }) => (
          <a key={id} href={withNext(`/api/auth/providers/${id}`, next)} className={buttonLook()}>
            Continue with {name}
          </a>
        ))}
      </div>
      <p className="flex items-center gap-3 text-[0.8125rem] text-ink-soft before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or with your e-mail address
      </p>
    </div>
  )
}
