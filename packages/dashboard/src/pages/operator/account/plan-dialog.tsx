import type { AdminAccount, ChangeAccountByOperatorRequest } from '@tollgate/contracts/http/admin/accounts.ts'
import { adminCall } from '../../../api/admin.ts'
import { now } from '../../../api/clock.ts'
import { formatDay } from '../../../format/time.ts'
import { TextField } from '../../../forms/fields.tsx'
import type { Reading } from '../../../forms/form.tsx'
import { textOf } from '../../../forms/read-fields.ts'
import { dayOf, readEndDay } from '../../../forms/read-number.ts'
import { SelectField } from '../../../forms/select-field.tsx'
import { ActDialog, waitsForSecond } from '../act-dialog.tsx'
import { usePlans } from '../plans.ts'

interface PlanDialogProps {
  readonly account: AdminAccount
  readonly onClose: () => void
}

type Override = NonNullable<ChangeAccountByOperatorRequest['plan']> | null

export function PlanDialog({ account, onClose }: PlanDialogProps) {
  const { id, own_plan, plan_override: present } = account
  const plans = usePlans(present?.id, own_plan)
  return (
    <ActDialog<Override>
      title="Change plan"
      effects={[
        'The models, prices and limits of the plan apply to new requests at once.',
        'The subscription and its payments stay as they are.'
      ]}
      action="Change plan"
      read={(data) => readOverride(data, present)}
      submit={async (plan, { reason }) => {
        const done = await adminCall('changeAccount', { params: { id }, body: { reason, plan } })
        if ('pending' in done) return waitsForSecond
        if (plan === null) return `The account has its own plan again: ${own_plan}.`
        return plan.ends_at === null
          ? `The plan is ${plan.id} now.`
          : `The plan is ${plan.id} until ${formatDay(new Date(plan.ends_at))}.`
      }}
      onClose={onClose}
    >
      <SelectField
        // The options may arrive after the dialog has opened.
        key={plans.length}
        name="plan"
        label="Plan"
        defaultValue={present?.id ?? ''}
        options={[['', `Own plan of the account (${own_plan})`], ...plans]}
      />
      <TextField
        name="ends_at"
        label="Last day"
        type="date"
        hint="The plan ends at the end of this day in your time zone. Then the account gets its own plan again."
        defaultValue={present?.ends_at == null ? '' : dayOf(present.ends_at)}
        isOptional
      />
    </ActDialog>
  )
}

function readOverride(data: FormData, present: Override): Reading<Override> {
  const id = textOf(data, 'plan')
  if (id === '') return { ok: true, values: null }
  const end = readEndDay(textOf(data, 'ends_at'), now(), present?.ends_at ?? null)
  return end.problem === null
    ? { ok: true, values: { id, ends_at: end.value } }
    : { ok: false, problems: { ends_at: end.problem } }
}
