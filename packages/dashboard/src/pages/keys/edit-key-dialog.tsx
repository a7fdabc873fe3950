import { useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { call, type Input } from '../../api/call.ts'
import { now } from '../../api/clock.ts'
import { refresh } from '../../api/queries.ts'
import { budgetChanged } from '../../forms/budget-changed.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { TextField } from '../../forms/fields.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { changedSettings } from './changed-settings.ts'
import { KeyFields } from './key-fields.tsx'
import { type Key, readKeyForm } from './read-key-form.ts'

export function EditKeyDialog({ target: opened, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const showToast = useToast()
  // What the fields began with: the key may change elsewhere while the dialog is open.
  const [target, setTarget] = useState(opened)
  return (
    <Dialog title="Edit key" description="Changes apply to all new requests." onClose={onClose}>
      <DialogForm
        action="Save changes"
        onClose={onClose}
        read={(data) => readKeyForm(data, now(), target)}
        submit={async (values) => {
          // Only the label of a management key can change.
          const typed = target.scope === 'inference' ? values : { ...target, label: values.label }
          const body = changedSettings(target, typed)
          if (Object.keys(body).length > 0) {
            await changeKey(target, body, (budget) => setTarget({ ...target, monthly_budget_usd: budget }))
            await refresh('listKeys', 'getKey', 'getUsageRefusals', 'listAudit')
            showToast('Key saved.')
          }
          onClose()
        }}
      >
        <TextField name="label" label="Label" maxLength={100} autoComplete="off" defaultValue={target.label} required />
        {target.scope === 'inference' && <KeyFields present={target} />}
      </DialogForm>
    </Dialog>
  )
}

/**
 * Changes a key, but not a budget that the person did not see.
 *
 * @param onBudget called with the present budget, if it is another one than the dialog showed
 */
async function changeKey(
  { id, monthly_budget_usd: seen }: Key,
  body: Input<'changeKey'>['body'],
  onBudget: (budget: number | null) => void
): Promise<void> {
  const isBudgetChanged = 'monthly_budget_usd' in body
  try {
    await call('changeKey', {
      params: { id },
      body: { ...body, ...(isBudgetChanged && { if_monthly_budget_usd: seen }) }
    })
  } catch (error) {
    if (!isCode(error, 'budget_changed')) throw error
    const { key } = await call('getKey', { params: { id } })
    onBudget(key.monthly_budget_usd)
    throw budgetChanged(error, key.monthly_budget_usd)
  }
}
