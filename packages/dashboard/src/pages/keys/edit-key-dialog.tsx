import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { changedSettings } from './changed-settings.ts'
import { KeyFields } from './key-fields.tsx'
import { type Key, readKeyForm } from './read-key-form.ts'

export function EditKeyDialog({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const showToast = useToast()
  return (
    <Dialog title="Edit key" description="Changes apply to all new requests." onClose={onClose}>
      <Form
        read={(data) => readKeyForm(data, new Date(), target)}
        submit={async (values) => {
          // Only the label of a management key can change.
          const typed = target.scope === 'inference' ? values : { ...target, label: values.label }
          const body = changedSettings(target, typed)
          if (Object.keys(body).length > 0) {
            await call('changeKey', { params: { id: target.id }, body })
            await refresh('listKeys')
            showToast('Key saved.')
          }
          onClose()
        }}
      >
        {(isBusy) => (
          <>
            <TextField
              name="label"
              label="Label"
              maxLength={100}
              autoComplete="off"
              defaultValue={target.label}
              required
            />
            {target.scope === 'inference' && <KeyFields present={target} />}
            <DialogActions>
              <Button disabled={isBusy} onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" tone="primary" isBusy={isBusy}>
                Save changes
              </Button>
            </DialogActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}
