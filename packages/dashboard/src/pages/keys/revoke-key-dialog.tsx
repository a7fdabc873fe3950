import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { nameOfKey, shownPrefix } from '../../format/key.ts'
import { isolate, visibleText } from '../../format/visible-text.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { TextField } from '../../forms/fields.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CutStreamsField } from './cut-streams-field.tsx'
import type { Key } from './read-key-form.ts'

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
