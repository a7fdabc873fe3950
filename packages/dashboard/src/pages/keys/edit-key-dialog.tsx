import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useNews } from '../../ui/news.tsx'
import { changedTerms } from './changed-terms.ts'
import { KeyFields } from './key-fields.tsx'
import { type Key, readKeyForm } from './read-key-form.ts'

export function EditKeyDialog({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const tell = useNews()
  return (
    <Dialog title="Edit key" description="Changes hold for every request from now on." onClose={onClose}>
      <Form
        read={(data) => readKeyForm(data, new Date(), target)}
        submit={async (values) => {
          // A management key has a label only.
          const typed = target.scope === 'inference' ? values : { ...target, label: values.label }
          const body = changedTerms(target, typed)
          if (Object.keys(body).length > 0) {
            await call('changeKey', { params: { id: target.id }, body })
            await refresh('listKeys')
            tell('The key was changed.')
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
