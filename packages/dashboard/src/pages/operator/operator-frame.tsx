import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { operatorSession } from '../../api/admin.ts'
import { isCode } from '../../api/api-error.ts'
import { signInPath } from '../../layout/sign-in-again.ts'
import { buttonLook } from '../../ui/button.tsx'

/** The frame around the operators' pages. It asks operators to sign in again when their session is too old to act. */
export function OperatorFrame() {
  const { error } = useQuery(operatorSession)
  const mustSignIn = isCode(error, 'sign_in_again')
  return (
    <>
      {mustSignIn && <SignInAgain />}
      {/* The page stays, so that nothing typed is lost if the operator signs in in another tab. */}
      <div hidden={mustSignIn}>
        <Outlet />
      </div>
    </>
  )
}

function SignInAgain() {
  const { href } = useLocation()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section className="mx-auto flex max-w-md flex-col items-center py-16 text-center">
      <span className="mb-4 grid size-11 place-items-center rounded-xl bg-accent-soft text-accent">
        <KeyRound aria-hidden="true" className="size-5" />
      </span>
      <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight outline-none">
        Sign in again
      </h1>
      <p className="mt-2 text-ink-soft">
        Operators have to sign in every 12 hours. You signed in longer ago than that. Afterwards you return to this
        page.
      </p>
      <a href={signInPath({ next: href })} className={`mt-6 ${buttonLook({ tone: 'primary' })}`}>
        Sign in
      </a>
    </section>
  )
}
