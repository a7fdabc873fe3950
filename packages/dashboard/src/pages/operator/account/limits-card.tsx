import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { adminCall } from '../../../api/admin.ts'
import { now } from '../../../api/clock.ts'
import { formatDay } from '../../../format/time.ts'
import { TextField } from '../../../forms/fields.tsx'
import { NumberField } from '../../../forms/number-field.tsx'
import { dayOf } from '../../../forms/read-number.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { DataTable } from '../../../ui/data-table.tsx'
import { ActDialog, waitsForSecond } from '../act-dialog.tsx'
import { describeLimit, describeSource, endOfOwnLimits, limitFields, readOwnLimits } from './read-forms.ts'

const listPrices = 'List prices'

interface LimitsCardProps {
  readonly account: AdminAccount
  readonly onChangePlan: () => void
  readonly onChangeLimits: () => void
}

/** The plan and the limits in force, and where each comes from. */
export function LimitsCard({ account, onChangePlan, onChangeLimits }: LimitsCardProps) {
  const rows = limitFields.map(({ isMoney = false, label, name }) => {
    const { value, plan_value, from, ends_at } = account.limits[name]
    return {
      name,
      label,
      from,
      ends_at,
      value: describeLimit(value, isMoney),
      ofPlan: describeLimit(plan_value, isMoney)
    }
  })
  const { value, plan_value, from, ends_at } = account.limits.price_group
  const ofPrices = { value: value ?? listPrices, ofPlan: plan_value ?? listPrices, from, ends_at }
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
        rows={[...rows, { name: 'price_group', label: 'Price group', ...ofPrices }]}
        columns={[
          { name: 'Limit', show: ({ label }) => label },
          { name: 'In force', isNumber: true, show: ({ value }) => value },
          { name: 'From', show: ({ from }) => describeSource(from) },
          {
            name: 'Plan’s value',
            isNumber: true,
            show: ({ ofPlan }) => ofPlan
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

interface OwnLimitsDialogProps {
  readonly account: AdminAccount
  readonly onClose: () => void
}

export function OwnLimitsDialog({ account, onClose }: OwnLimitsDialogProps) {
  const { id, limits } = account
  const presentEnd = endOfOwnLimits(limits)
  return (
    <ActDialog
      title="Set limits"
      effects={[
        'Each limit applies instead of the plan’s, whether it is lower or higher. An empty field keeps the plan’s value.',
        'These limits replace all limits that operators set before. They apply to new requests at once.'
      ]}
      action="Set limits"
      read={(data) => readOwnLimits(data, now(), limits)}
      submit={async (own, { reason }) => {
        const done = await adminCall('changeAccount', { params: { id }, body: { reason, limits: own } })
        if ('pending' in done) return waitsForSecond
        if (own === null) return 'The limits of the plan apply again.'
        return own.ends_at === null
          ? 'The limits apply now.'
          : `The limits apply until ${formatDay(new Date(own.ends_at))}.`
      }}
      onClose={onClose}
    >
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        {limitFields.map(({ name, label, unit, isMoney = false }) => {
          const { value, from, plan_value, operator_value } = limits[name]
          return (
            <NumberField
              key={name}
              name={name}
              label={label}
              unit={unit}
              isWhole={!isMoney}
              hint={[
                `Plan: ${describeLimit(plan_value, isMoney)}`,
                ...(from === 'owner' ? [`Set by the owner: ${describeLimit(value, isMoney)}`] : [])
              ].join('. ')}
              defaultValue={operator_value}
            />
          )
        })}
      </div>
      <TextField
        name="price_group"
        label="Price group"
        hint={`One of the catalog’s price_groups. Plan: ${limits.price_group.plan_value ?? listPrices}`}
        defaultValue={limits.price_group.operator_value ?? ''}
        isOptional
      />
      <TextField
        name="ends_at"
        label="Last day"
        type="date"
        hint="The limits end at the end of this day in your time zone. Then the plan’s apply again."
        defaultValue={presentEnd === null ? '' : dayOf(presentEnd)}
        isOptional
      />
    </ActDialog>
  )
}
