import { useState } from 'react'
import { isCode } from '../../api/api-error.ts'
import { call, type Input } from '../../api/call.ts'
import { now } from '../../api/clock.ts'
import { refresh } from '../../api/queries.ts'
import { isolate, nameOfKey, shownPrefix, visibleText } from '../../format/visible-text.ts'
import { budgetChanged } from '../../forms/budget-changed.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { CheckField, TextField } from '../../forms/fields.tsx'
import { readNothing } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AddressesField, BudgetField, KeyFields } from './key-fields.tsx'
import { changedSettings, type Key, moreBudgetsOf, readKeyForm } from './read-key-form.ts'

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
          // A management key has no other fields.
          const { label, addresses } = values
          const ofManagement = { ...target, label, addresses, more_budgets: moreBudgetsOf(target) }
          const typed = target.scope === 'inference' ? values : ofManagement
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
        {target.scope === 'inference' && <BudgetField present={target} />}
        {target.scope === 'inference' ? <KeyFields present={target} /> : <AddressesField present={target} />}
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
  const isBudgetChanged = 'monthly_budget_usd' in body || 'budgets' in body
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

export function RevokeKeyDialog({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const showToast = useToast()
  const name = nameOfKey(target)
  return (
    <Dialog
      title={`Revoke “${isolate(name)}”?`}
      description={
        <>
          New requests with <code className="font-mono">{shownPrefix(target)}</code> are refused everywhere. This cannot
          be undone.
        </>
      }
      onClose={onClose}
    >
      <DialogForm
        action="Revoke key"
        tone="danger"
        onClose={onClose}
        read={(data) =>
          visibleText(textOf(data, 'confirmation')) === visibleText(name)
            ? { ok: true, values: { cutsStreams: data.has('cut_streams') } }
            : { ok: false, problems: { confirmation: 'This does not match the label of the key.' } }
        }
        submit={async ({ cutsStreams }) => {
          await call('revokeKey', { params: { id: target.id }, ...(cutsStreams && { query: { cut_streams: 'true' } }) })
          await refresh('listKeys', 'getKey', 'getLimits', 'listAudit')
          showToast('Key revoked.')
          onClose()
        }}
      >
        <TextField
          name="confirmation"
          label="Type the label to confirm"
          hint={<span className="font-mono break-all whitespace-pre-wrap text-ink">{visibleText(name)}</span>}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          required
        />
        {target.scope === 'inference' && <CutStreamsField />}
      </DialogForm>
    </Dialog>
  )
}

/** Asks whether open requests with the value that stops working end, too. */
export const CutStreamsField = () => (
  <div className="space-y-1">
    <CheckField name="cut_streams" label="Also end open requests" />
    <p className="text-[0.8125rem] text-ink-soft">
      Choose this if someone else may use the key. Otherwise open streams run to their end.
    </p>
  </div>
)

const words = {
  pause: {
    verb: 'Pause',
    done: 'Key paused.',
    effect: 'New requests with it are refused everywhere until you resume it. Requests that already run go on.'
  },
  resume: { verb: 'Resume', done: 'Key resumed.', effect: 'Its requests are accepted again, within its limits.' }
}

/** Asks whether to pause a key, or to resume one that is paused. */
export function PauseKeyDialog({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const showToast = useToast()
  // The page shows the saved state while a change is not active yet. A repeated press must ask for the same again.
  const [pauses] = useState(!target.paused)
  const { verb, done, effect } = pauses ? words.pause : words.resume
  return (
    <Dialog title={`${verb} “${isolate(nameOfKey(target))}”?`} description={effect} onClose={onClose}>
      <DialogForm
        action={`${verb} key`}
        checkAgain="Check again"
        onClose={onClose}
        read={readNothing}
        submit={async () => {
          await call('changeKey', { params: { id: target.id }, body: { paused: pauses } })
          await refresh('listKeys', 'getKey', 'getUsageRefusals', 'listAudit')
          showToast(done)
          onClose()
        }}
      />
    </Dialog>
  )
}

export function EndOldValueDialog({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const showToast = useToast()
  return (
    <Dialog
      title={`End the old value of “${isolate(nameOfKey(target))}”?`}
      description="New requests with the old value are refused everywhere. The new value keeps working."
      onClose={onClose}
    >
      <DialogForm
        action="End old value"
        tone="danger"
        onClose={onClose}
        read={() => ({ ok: true, values: target.id })}
        submit={async (id) => {
          await call('endKeyGrace', { params: { id } })
          await refresh('listKeys', 'getKey', 'listAudit')
          showToast('The old value no longer works.')
          onClose()
        }}
      >
        <p className="text-sm text-ink-soft">Replace it in all your apps first. This cannot be undone.</p>
      </DialogForm>
    </Dialog>
  )
}
