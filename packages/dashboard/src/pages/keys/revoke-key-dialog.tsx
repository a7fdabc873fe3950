import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { isolate, visibleText } from '../../format/visible-text.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { TextField } from '../../forms/fields.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { Dialog } from '../../ui/dialog.tsx'
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
      <DialogForm
        action="Revoke key"
        tone="danger"
        onClose={onClose}
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
        <TextField
          name="confirmation"
          label="Type the label to confirm"
          hint={<span className="font-mono break-all whitespace-pre-wrap text-ink">{visibleText(name)}</span>}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          required
        />
      </DialogForm>
    </Dialog>
  )
}
