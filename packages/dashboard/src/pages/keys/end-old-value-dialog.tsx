import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { nameOfKey } from '../../format/key.ts'
import { isolate } from '../../format/visible-text.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { Key } from './read-key-form.ts'

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
