import { useState } from 'react'
import { explain } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { Captcha, unsolved } from '../../captcha/captcha-field.tsx'
import { signInFacts } from '../../page-facts.ts'
import { Button } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'

/** A button that sends the confirmation e-mail again. */
export function ResendButton({ email }: { readonly email: string }) {
  const [isBusy, setBusy] = useState(false)
  const [told, setTold] = useState<string | null>(null)
  const [captcha, setCaptcha] = useState('')
  const [attempt, setAttempt] = useState(0)
  const resend = async () => {
    if (signInFacts.captcha !== null && captcha === '') return setTold(unsolved)
    setBusy(true)
    try {
      await call('resendConfirmation', { body: { email, ...(captcha !== '' && { captcha_token: captcha }) } })
      setTold('If the address still needs confirmation, we sent another e-mail.')
    } catch (error) {
      setTold(explain(error))
    } finally {
      setBusy(false)
      // The attempt has used the answer up.
      setCaptcha('')
      setAttempt((before) => before + 1)
    }
  }
  return (
    <div className="mt-2 space-y-1.5">
      {signInFacts.captcha !== null && <Captcha key={attempt} onToken={setCaptcha} />}
      <Button size="small" isBusy={isBusy} onClick={() => void resend()}>
        Send e-mail again
      </Button>
      <p role="status" className="text-sm">
        {told}
      </p>
    </div>
  )
}

const { demoMailboxUrl } = signInFacts

/** On a trial, where its mails are; otherwise `otherwise`. */
export function DemoMailbox({ otherwise = null }: { readonly otherwise?: string | null }) {
  if (demoMailboxUrl === null) return otherwise
  return (
    <>
      This is a demo, which sends no e-mail to the internet.{' '}
      <a href={demoMailboxUrl} target="_blank" rel="noreferrer" className={textLink}>
        Open the demo’s mailbox
      </a>
    </>
  )
}
