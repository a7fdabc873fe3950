import { useState } from 'react'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { refresh } from '../../api/queries.ts'
import { isolate } from '../../format/visible-text.ts'
import { SelectField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { useAccount } from '../../layout/caller.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { modelToTry } from './describe-key.ts'
import { KeyFields } from './key-fields.tsx'
import { makeKey } from './make-key.ts'
import { readKeyForm } from './read-key-form.ts'
import { SecretDialog } from './secret-dialog.tsx'

type Made = { readonly label: string; readonly secret: string; readonly scope: Scope; readonly models: string[] | null }
type Scope = 'inference' | 'management'

export function CreateKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const { role, models } = useAccount()
  const [scope, setScope] = useState<Scope>('inference')
  const [made, setMade] = useState<Made | null>(null)
  // However often it is tried from here, there is one key.
  const [attempt] = useState(newIdempotencyKey)
  if (made !== null) {
    return (
      <SecretDialog
        title={`“${isolate(made.label)}” is ready`}
        secret={made.secret}
        scope={made.scope}
        model={modelToTry(models, made.models)}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog
      title="Create a key"
      description="Each application gets its own, so that you can tell them apart."
      onClose={onClose}
    >
      <Form
        read={(data) => {
          const reading = readKeyForm(data, new Date(), null)
          const chosen: Scope = textOf(data, 'scope') === 'management' ? 'management' : 'inference'
          return reading.ok ? { ok: true, values: { ...reading.values, scope: chosen } } : reading
        }}
        submit={async (values) => {
          const key = await makeKey(values, `${attempt}-${values.scope}`)
          setMade({ label: key.label, secret: key.value, scope: values.scope, models: values.models })
          await refresh('listKeys')
        }}
      >
        {(isBusy) => (
          <>
            <TextField
              name="label"
              label="Label"
              placeholder="Production website"
              maxLength={100}
              autoComplete="off"
              required
            />
            {role === 'owner' && (
              <SelectField
                name="scope"
                label="For"
                value={scope}
                onChange={(event) => setScope(event.currentTarget.value === 'management' ? 'management' : 'inference')}
                options={[
                  ['inference', 'Calling models'],
                  ['management', 'Managing keys from your own server']
                ]}
              />
            )}
            {scope === 'inference' && <KeyFields present={null} />}
            <DialogActions>
              <Button disabled={isBusy} onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" tone="primary" isBusy={isBusy}>
                Create key
              </Button>
            </DialogActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}
