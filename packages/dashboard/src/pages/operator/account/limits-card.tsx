import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { formatDay } from '../../../format/time.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { describeLimit, describeSource, limitFields } from './describe-limits.ts'

interface LimitsCardProps {
  readonly account: AdminAccount
  readonly onChangePlan: () => void
  readonly onChangeLimits: () => void
}

/** The plan and the limits in force, and where each comes from. */
export function LimitsCard({ account, onChangePlan, onChangeLimits }: LimitsCardProps) {
  const rows = limitFields.map((field) => ({ ...field, ...account.limits[field.name] }))
  return (
    <Card
      isFlush
      title="Plan and limits"
      description={describePlan(account)}
      actions={
        <div className="flex flex-wrap gap-2">
          <Button onClick={onChangePlan}>Change plan</Button>
          <Button onClick={onChangeLimits}>Set limits</Button>
        </div>
      }
    >
      <DataTable
        label="Limits"
        keyOf={({ name }) => name}
        rows={rows}
        columns={[
          { name: 'Limit', show: ({ label }) => label },
          { name: 'In force', isNumber: true, show: ({ value, isMoney = false }) => describeLimit(value, isMoney) },
          { name: 'From', show: ({ from }) => describeSource(from) },
          {
            name: 'Plan’s value',
            isNumber: true,
            show: ({ plan_value, isMoney = false }) => describeLimit(plan_value, isMoney)
          },
          {
            name: 'Ends',
            show: ({ from, ends_at }) =>
              ends_at !== null ? formatDay(new Date(ends_at)) : from === 'operator' ? 'Never' : ''
          }
        ]}
      />
    </Card>
  )
}

function describePlan({ plan, own_plan, plan_override: override }: AdminAccount): string {
  if (override === null) return `The plan is ${plan}.`
  const end = override.ends_at === null ? 'without an end' : `until ${formatDay(new Date(override.ends_at))}`
  return `An operator set the plan ${override.id}, ${end}. Without it, the plan is ${own_plan}.`
}
