import { useAccount } from '../../layout/caller.ts'
import { Card } from '../../ui/card.tsx'

export function PlanCard() {
  const { plan } = useAccount()
  return (
    <Card title="Plan">
      <p className="text-3xl font-semibold tracking-tight capitalize">{plan}</p>
    </Card>
  )
}
