import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { isolate, visibleText } from '../../format/visible-text.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { nameOfKey, shownPrefix } from './describe-key.ts'
import type { Key } from './read-key-form.ts'

export function RevokeKeyDialog({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const showToast = useToast()
  const name = nameOfKey(target)
  return (
    <Dialog
      title={`Revoke “${isolate(name)}”?`}
      description={
        <>
          New requests with <code className="font-mono">{shownPrefix(target)}</code> are refused everywhere. Running
          streams are completed. This cannot be undone.
        </>
      }
      onClose={onClose}
    >
      <Form
        read={(data) =>
          visibleText(textOf(data, 'confirmation')) === visibleText(name)
            ? { ok: true, values: null }
            : { ok: false, problems: { confirmation: 'This does not match the label of the key.' } }
        }
        submit={async () => {
          await call('revokeKey', { params: { id: target.id } })
          await refresh('listKeys')
          showToast('Key revoked.')
          onClose()
        }}
      >
        {(isBusy) => (
          <>
            <TextField
              name="confirmation"
              label="Type the label to confirm"
              hint={<span className="font-mono break-all whitespace-pre-wrap text-ink">{visibleText(name)}</span>}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              required
            />
            <DialogActions>
              <Button disabled={isBusy} onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" tone="danger" isBusy={isBusy}>
                Revoke key
              </Button>
            </DialogActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}
