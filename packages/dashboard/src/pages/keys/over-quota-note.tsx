import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { BillingLink } from '../../layout/owner.tsx'
import { Banner } from '../../ui/banner.tsx'
import { describeOverQuota } from './over-quota.ts'

/** Says how many keys are above the number of the plan; nothing if none is. */
export function OverQuotaNote() {
  const { data } = useQuery(read('getLimits'))
  const told = data === undefined ? null : describeOverQuota(data.limits.keys)
  if (told === null) return null
  return (
    <Banner tone="warning" title={told.title}>
      {told.text} <BillingLink text="Compare plans" />
    </Banner>
  )
}
