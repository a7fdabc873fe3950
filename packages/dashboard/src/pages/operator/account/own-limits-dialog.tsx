import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { adminCall } from '../../../api/admin.ts'
import { now } from '../../../api/clock.ts'
import { formatDay } from '../../../format/time.ts'
import { TextField } from '../../../forms/fields.tsx'
import { NumberField } from '../../../forms/number-field.tsx'
import { dayOf } from '../../../forms/read-optional.ts'
import { ActDialog, waitsForSecond } from '../act-dialog.tsx'
import { describeLimit, limitFields } from './describe-limits.ts'
import { endOfOwnLimits, readOwnLimits } from './read-own-limits.ts'

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
