import { useState } from 'react'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { SelectField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { useAccount } from '../../layout/caller.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { modelToTry } from './describe-key.ts'
import type { Key } from './read-key-form.ts'
import { SecretDialog } from './secret-dialog.tsx'

const graces = [
  ['0', 'Nothing: it stops at once'],
  ['900', '15 minutes'],
  ['3600', 'One hour'],
  ['86400', 'One day']
] as const

export function RotateKeyDialog({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const { models } = useAccount()
  const [secret, setSecret] = useState<string | null>(null)
  if (secret !== null) {
    return (
      <SecretDialog
        title={`“${target.label}” has a new value`}
        secret={secret}
        scope={target.scope}
        model={modelToTry(models, target.models)}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog
      title={`Rotate “${target.label}”`}
      description="The key gets a new value. Its label, limits and history stay as they are."
      onClose={onClose}
    >
      <Form
        read={(data) => ({ ok: true, values: Number(textOf(data, 'grace_seconds')) })}
        submit={async (graceSeconds) => {
          const { key } = await call('rotateKey', {
            params: { id: target.id },
            body: { grace_seconds: graceSeconds }
          })
          setSecret(key.value)
          await refresh('listKeys')
        }}
      >
        {(isBusy) => (
          <>
            <SelectField
              name="grace_seconds"
              label="The old value works for another"
              hint="Time to replace it wherever it is used."
              defaultValue="3600"
              options={graces}
            />
            <DialogActions>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" tone="primary" isBusy={isBusy}>
                Rotate key
              </Button>
            </DialogActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}
