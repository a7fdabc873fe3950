import { type ReactNode, useEffect, useRef, useState } from 'react'
import { explain } from '../../api/api-error.ts'
import { call, type InputArguments } from '../../api/call.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import type { OfferedPrice } from './describe-offer.ts'

interface ChooseButtonProps extends Pick<PaymentButtonProps, 'tone' | 'isFocused' | 'className'> {
  readonly text: string
  readonly price: OfferedPrice
  /** Whether a paid plan exists already. The provider's portal then switches it. */
  readonly isSwitch: boolean
}

/** Opens the page of the payment provider that buys a price, or switches to it. */
export function ChooseButton({ text, price, isSwitch, ...look }: ChooseButtonProps) {
  const open = () =>
    isSwitch
      ? openPaymentPage('openPortal', { query: { price_id: price.id } })
      : openPaymentPage('openCheckout', { body: { price_id: price.id } })
  return (
    <PaymentButton open={open} {...look}>
      {text}
    </PaymentButton>
  )
}

interface PaymentButtonProps {
  /** Opens the page of the payment provider. */
  readonly open: () => Promise<void>
  readonly tone?: 'primary' | 'plain'
  /** Whether it takes the focus when it appears. */
  readonly isFocused?: boolean
  readonly className?: string
  readonly children: ReactNode
}

/** A button that leaves for the payment provider. It stays busy until the page is gone, and says what failed. */
export function PaymentButton({
  open,
  tone = 'plain',
  isFocused = false,
  className = '',
  children
}: PaymentButtonProps) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isFocused) button.current?.focus()
  }, [isFocused])
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const press = async () => {
    setBusy(true)
    setProblem(null)
    try {
      await open()
    } catch (error) {
      setProblem(explain(error))
      setBusy(false)
    }
  }
  return (
    <div className="space-y-2">
      <Button ref={button} tone={tone} className={className} isBusy={isBusy} onClick={() => void press()}>
        {children}
      </Button>
      {problem !== null && (
        <Banner tone="danger" isAnnounced>
          {problem}
        </Banner>
      )}
    </div>
  )
}

/** Opens a page of the payment provider. @throws ApiError */
export async function openPaymentPage<Name extends 'openPortal' | 'openCheckout'>(
  name: Name,
  ...input: InputArguments<Name>
): Promise<void> {
  const { url } = await call(name, ...input)
  window.location.assign(url)
}
