import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { isolate, visibleText } from '../../format/visible-text.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useNews } from '../../ui/news.tsx'
import { nameOfKey, shownPrefix } from './describe-key.ts'
import type { Key } from './read-key-form.ts'

export function RevokeKeyDialog({ target, onClose }: { readonly target: Key; readonly onClose: () => void }) {
  const tell = useNews()
  const name = nameOfKey(target)
  return (
    <Dialog
      title={`Revoke “${isolate(name)}”?`}
      description={
        <>
          Every request with <code className="font-mono">{shownPrefix(target)}</code> is refused from then on,
          everywhere. Answers that are being streamed run to their end. This cannot be undone.
        </>
      }
      onClose={onClose}
    >
      <Form
        read={(data) =>
          visibleText(textOf(data, 'confirmation')) === visibleText(name)
            ? { ok: true, values: null }
            : { ok: false, problems: { confirmation: 'This is not the label of the key.' } }
        }
        submit={async () => {
          await call('revokeKey', { params: { id: target.id } })
          await refresh('listKeys')
          tell('The key is revoked.')
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
                Keep it
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
