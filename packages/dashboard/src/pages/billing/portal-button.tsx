import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { explain } from '../../api/api-error.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { openPaymentPage } from './open-payment-page.ts'

/** Opens the payment provider's portal, which switches and cancels plans and changes cards. */
export function PortalButton({ text }: { readonly text: string }) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const open = async () => {
    setBusy(true)
    setProblem(null)
    try {
      await openPaymentPage('openPortal')
    } catch (error) {
      setProblem(explain(error))
      setBusy(false)
    }
  }
  return (
    <div className="space-y-2">
      <Button isBusy={isBusy} onClick={() => void open()}>
        {text}
        <ExternalLink aria-hidden="true" className="size-3.5" />
      </Button>
      {problem !== null && (
        <Banner tone="danger" isAnnounced>
          {problem}
        </Banner>
      )}
    </div>
  )
}
