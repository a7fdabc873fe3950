import { type ChosenPlan, chosenPlanOf } from '@tollgate/contracts/http/chosen-plan.ts'
import { Fragment, useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import { CaptchaField, captchaOf, problemOfCaptcha } from '../../captcha/captcha-field.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { NewPasswordField } from '../../forms/new-password-field.tsx'
import { onlyProblems, problemOfAddress, problemOfNewPassword, textOf } from '../../forms/read-fields.ts'
import { AuthLayout } from '../../layout/auth-layout.tsx'
import { sessionChannel } from '../../layout/tabs.ts'
import { signInFacts } from '../../page-facts.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import { describePrice, findOffer } from '../billing/describe-offer.ts'
import { keepNext, readNext, withNext } from './after-sign-in.ts'
import { AddressField, ProviderButtons } from './login-form.tsx'
import { DemoMailbox, ResendButton } from './resend-button.tsx'
import { SignedInBanner } from './sign-in-notice.tsx'

interface Registration {
  /** Until its user chooses another one. */
  readonly name: string
  readonly email: string
  readonly password: string
  readonly captcha_token?: string
}

function readRegistration(data: FormData): Reading<Registration> {
  const email = textOf(data, 'email').trim()
  const password = textOf(data, 'password')
  const problems = onlyProblems({
    email: problemOfAddress(email),
    password: problemOfNewPassword(password),
    captcha_token: problemOfCaptcha(data)
  })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  const name = email.slice(0, email.lastIndexOf('@'))
  return { ok: true, values: { name, email, password, ...captchaOf(data) } }
}

const needsApproval = 'The operator of this service approves new accounts before they work. We mail you then.'

export function RegisterPage() {
  const [mailed, setMailed] = useState<string | null>(null)
  const [next] = useState(() => readNext(window.location.search))
  const [chosen] = useState(() => chosenPlanOf(next))
  const signIn = withNext('/login', next)
  if (mailed !== null) return <CheckYourMail email={mailed} next={next} signIn={signIn} />
  if (signInFacts.signup === 'invited') return <OnlyInvited signIn={signIn} />
  const submit = async (registration: Registration) => {
    await call('register', { body: { ...registration, remember: true } })
    keepNext(next)
    setMailed(registration.email)
  }
  return (
    <AuthLayout
      title="Create an account"
      description={
        <>
          {chosen !== undefined && <ChosenPlanNote chosen={chosen} />}
          {signInFacts.signup === 'approved'
            ? needsApproval
            : chosen === undefined && 'Start for free. No card needed.'}
        </>
      }
      footer={
        <>
          Already registered?{' '}
          <a href={signIn} className={textLink}>
            Sign in
          </a>
        </>
      }
    >
      <SignedInBanner next={next} />
      <ProviderButtons next={next} />
      <Form read={readRegistration} submit={submit}>
        {(isBusy) => (
          <>
            <AddressField isFocused />
            <NewPasswordField />
            <CaptchaField isBusy={isBusy} />
            <Acceptance />
            <Button type="submit" tone="primary" className="w-full" isBusy={isBusy}>
              Create account
            </Button>
          </>
        )}
      </Form>
    </AuthLayout>
  )
}

const legalTexts = { terms: 'the terms', privacy: 'the privacy policy' } as const

/** What somebody accepts by registering; nothing if the operator has no such pages. */
function Acceptance() {
  const { legalPages } = signInFacts
  if (legalPages.length === 0) return null
  return (
    <p className="text-[0.8125rem] text-ink-soft">
      By creating an account, you accept{' '}
      {legalPages.map((name, index) => (
        <Fragment key={name}>
          {index > 0 && ' and '}
          <a href={`/${name}`} target="_blank" rel="noreferrer" className={textLink}>
            {legalTexts[name]}
          </a>
        </Fragment>
      ))}
      .
    </p>
  )
}

/**
 * Names the plan that somebody chose before, and when it is paid. The price comes later than the page. Nothing if nobody
 * sells the plan.
 */
function ChosenPlanNote({ chosen }: { readonly chosen: ChosenPlan }) {
  const [offer, setOffer] = useState<ReturnType<typeof findOffer> | null>(undefined)
  useEffect(() => {
    // Without the price, the note is still true.
    void call('listPlans').then(
      ({ plans }) => setOffer(findOffer(plans, chosen) ?? null),
      () => {}
    )
  }, [chosen])
  if (offer === null) return null
  const named = offer === undefined ? 'a paid plan' : `${offer.plan.name}, ${describePrice(offer.price)}`
  return <p>You chose {named}. First create your account, then pay.</p>
}

/** Registration is closed for people without an invitation. */
function OnlyInvited({ signIn }: Pick<CheckYourMailProps, 'signIn'>) {
  return (
    <AuthLayout
      title="Registration is by invitation only"
      description="If you have an invitation, open the link in its e-mail. Otherwise ask the operator of this service for an account."
    >
      <a href={signIn} className={`${buttonLook({ tone: 'primary' })} w-full`}>
        Go to sign-in
      </a>
    </AuthLayout>
  )
}

interface CheckYourMailProps {
  readonly email: string
  /** The page that somebody wanted to see; undefined: the overview. */
  readonly next: string | undefined
  /** The address of the sign-in page. */
  readonly signIn: string
}

function CheckYourMail({ email, next = '/dashboard', signIn }: CheckYourMailProps) {
  const isConfirmed = useIsConfirmed(email)
  if (isConfirmed) {
    return (
      <AuthLayout
        title="Your address is confirmed"
        description={<p role="status">You are signed in. You can close this tab, or go on here.</p>}
      >
        <a href={next} className={`${buttonLook({ tone: 'primary' })} w-full`}>
          Open the dashboard
        </a>
      </AuthLayout>
    )
  }
  return (
    <AuthLayout
      title="Check your e-mail"
      description={
        <p role="status">
          We sent a link to <strong className="font-medium text-ink">{email}</strong>. Open it in this browser, and you
          are signed in. In another browser, it asks for your password.
        </p>
      }
      footer={
        <a href={signIn} className={textLink}>
          Go to sign-in
        </a>
      }
    >
      <div className="space-y-3 text-sm text-ink-soft">
        <p>
          <DemoMailbox otherwise="No e-mail after a minute? Check your spam folder." />
        </p>
        <p>If the address already has an account, we send nothing: sign in instead.</p>
      </div>
      <div className="mt-6">
        <ResendButton email={email} />
      </div>
    </AuthLayout>
  )
}

/** Whether another tab of this browser has confirmed the address, and signed in. */
function useIsConfirmed(email: string): boolean {
  const [isConfirmed, setConfirmed] = useState(false)
  useEffect(() => {
    const check = async () => {
      // Another tab may have signed out. Then this one still waits.
      const signedIn = await call('getUser').catch(() => null)
      if (signedIn?.user.email.toLowerCase() === email.toLowerCase()) setConfirmed(true)
    }
    sessionChannel.addEventListener('message', check)
    return () => sessionChannel.removeEventListener('message', check)
  }, [email])
  return isConfirmed
}
