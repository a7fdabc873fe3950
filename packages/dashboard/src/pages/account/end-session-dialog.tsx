import { allowGone } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { readNothing } from '../../forms/form.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'

interface EndSessionDialogProps {
  readonly id: string
  readonly name: string
  readonly onClose: () => void
}

export function EndSessionDialog({ id, name, onClose }: EndSessionDialogProps) {
  const showToast = useToast()
  return (
    <Dialog
      title={`Sign out ${name}?`}
      description="This browser must sign in again. If you do not recognise it, change your password too."
      onClose={onClose}
    >
      <DialogForm
        action="Sign out"
        tone="danger"
        onClose={onClose}
        read={readNothing}
        submit={async () => {
          await call('endSession', { params: { id } }).catch(allowGone)
          showToast('Session signed out.')
          onClose()
          await refresh('listSessions')
        }}
      />
    </Dialog>
  )
}
