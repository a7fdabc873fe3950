import { call } from '../../api/call.ts'
import { now } from '../../api/clock.ts'
import { refresh } from '../../api/queries.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { TextField } from '../../forms/fields.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { changedSettings } from './changed-settings.ts'
import { KeyFields } from './key-fields.tsx'
import { type Key, readKeyForm } from './read-key-form.ts'

export function EditKeyDialog({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const showToast = useToast()
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
            await call('changeKey', { params: { id: target.id }, body })
            await refresh('listKeys', 'getKey', 'listAudit')
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
