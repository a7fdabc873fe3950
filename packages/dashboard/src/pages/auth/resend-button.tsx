import { useState } from 'react'
import { explain } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/button.tsx'

/** A button that sends the confirmation e-mail again. */
export function ResendButton({ email }: { readonly email: string }) {
  const [isBusy, setBusy] = useState(false)
  const [told, setTold] = useState<string | null>(null)
  const resend = async () => {
    setBusy(true)
    try {
      await call('resendConfirmation', { body: { email } })
      setTold('If the address still needs confirmation, we sent another e-mail.')
    } catch (error) {
      setTold(explain(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="mt-2">
      <Button size="small" isBusy={isBusy} onClick={() => void resend()}>
        Send e-mail again
      </Button>
      <p role="status" className="mt-1.5 text-sm">
        {told}
      </p>
    </div>
  )
}
